//! The dispatcher as a hyper service, called once per request.

use super::exchange::{ConnectionProgress, ExchangeGuard};
use crate::application::Application;
use crate::dispatcher::{ConnectionPersistence, Dispatcher};
use crate::extract::certificate::ConnectedPeer;
use crate::reply::content::ResponseContent;
use axum::http::{Request, Response};
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

pub(crate) struct ConnectionService<A> {
    pub(crate) dispatcher: Arc<Dispatcher<A>>,
    pub(crate) exchange: Arc<ConnectionProgress>,
    pub(crate) peer: Arc<ConnectedPeer>,
}

impl<A: Application> hyper::service::Service<Request<Incoming>> for ConnectionService<A> {
    type Response = Response<TrackedBody>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn call(&self, request: Request<Incoming>) -> ResponseFuture {
        let in_progress = self.exchange.begin_request();
        let connection_persistence = if self.exchange.is_close_requested() {
            ConnectionPersistence::Close
        } else {
            ConnectionPersistence::KeepAlive
        };
        if let Some((response, read)) =
            self.dispatcher.serve_document(&request, &self.peer, connection_persistence)
        {
            return ResponseFuture::Ready(Some(finish_response(response, read, &self.exchange, in_progress)));
        }
        let (door, exchange, connected) =
            (Arc::clone(&self.dispatcher), Arc::clone(&self.exchange), Arc::clone(&self.peer));
        ResponseFuture::Pending(Box::pin(async move {
            let (response, read) = door.dispatch(request, &connected, connection_persistence).await;
            finish_response(response, read, &exchange, in_progress)
        }))
    }
}

fn finish_response(
    response: Response<ResponseContent>,
    read: ConnectionPersistence,
    exchange: &ConnectionProgress,
    in_progress: ExchangeGuard,
) -> Response<TrackedBody> {
    if read == ConnectionPersistence::Close {
        exchange.mark_unread();
    }
    response.map(|content| TrackedBody { content, _in_progress: in_progress })
}

/// A response that is ready or in progress.
pub(crate) enum ResponseFuture {
    /// `None` after it was taken.
    Ready(Option<Response<TrackedBody>>),
    Pending(Pin<Box<dyn Future<Output = Response<TrackedBody>> + Send>>),
}

impl Future for ResponseFuture {
    type Output = Result<Response<TrackedBody>, Infallible>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            Self::Ready(response) => {
                response.take().map_or(Poll::Pending, |response| Poll::Ready(Ok(response)))
            }
            Self::Pending(future) => future.as_mut().poll(context).map(Ok),
        }
    }
}

/// A body that keeps its request in progress until it has been sent.
pub(crate) struct TrackedBody {
    content: ResponseContent,
    _in_progress: ExchangeGuard,
}

impl HttpBody for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.content).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.content.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.content.size_hint()
    }
}
