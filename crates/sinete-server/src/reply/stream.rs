//! Streaming responses, produced as fast as they are consumed.

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use hyper::body::Frame;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// The number of buffered chunks.
const BUFFERED_CHUNKS: usize = 2;

/// Sends the chunks of a response.
pub struct StreamSender(Sender<Result<Bytes, StreamBroken>>);

/// The response cannot be completed. The client sees an aborted transfer, never a truncated one that looks
/// complete.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the response was aborted")]
pub struct StreamBroken;

/// The client disconnected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamReceiverGone;

impl StreamSender {
    /// Sends a chunk, waiting for capacity.
    pub async fn send_chunk(&self, piece: impl Into<Bytes>) -> Result<(), StreamReceiverGone> {
        self.0.send(Ok(piece.into())).await.map_err(|_| StreamReceiverGone)
    }

    /// Aborts the response.
    pub async fn abort(self) {
        // The client may have disconnected.
        let _ = self.0.send(Err(StreamBroken)).await;
    }
}

/// A response, and the sender of its chunks.
pub fn streaming_response() -> (Response, StreamSender) {
    let (pieces, coming) = channel(BUFFERED_CHUNKS);
    (Response::new(Body::new(StreamBody(coming))), StreamSender(pieces))
}

/// The body of the response.
struct StreamBody(Receiver<Result<Bytes, StreamBroken>>);

impl hyper::body::Body for StreamBody {
    type Data = Bytes;
    type Error = StreamBroken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, StreamBroken>>> {
        let next = ready!(self.0.poll_recv(context));
        Poll::Ready(next.map(|piece| piece.map(Frame::data)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt as _;

    #[tokio::test]
    async fn streamed_response_arrives_in_order_and_an_aborted_one_is_incomplete() {
        let (response, pieces) = streaming_response();
        let giving = tokio::spawn(async move {
            for piece in ["a", "b", "c", "d"] {
                pieces.send_chunk(piece).await.unwrap();
            }
        });
        assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "abcd");
        giving.await.unwrap();
        let (response, pieces) = streaming_response();
        pieces.send_chunk("a").await.unwrap();
        pieces.abort().await;
        assert!(response.into_body().collect().await.is_err());
    }

    #[tokio::test]
    async fn streamed_response_detects_a_disconnected_client() {
        let (response, pieces) = streaming_response();
        drop(response);
        assert_eq!(pieces.send_chunk("a").await, Err(StreamReceiverGone));
    }
}
