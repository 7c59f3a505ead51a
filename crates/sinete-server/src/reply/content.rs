//! Response bodies.

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};

/// A response body.
pub(crate) enum ResponseContent {
    /// Ready bytes.
    Ready(Bytes),
    /// The body of a handler.
    Body(Body),
}

impl HttpBody for ResponseContent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match self.get_mut() {
            Self::Ready(bytes) if bytes.is_empty() => Poll::Ready(None),
            Self::Ready(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Self::Body(body) => Pin::new(body).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Ready(bytes) => bytes.is_empty(),
            Self::Body(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Ready(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Body(body) => body.size_hint(),
        }
    }
}
