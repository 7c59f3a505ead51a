//! The door as hyper calls it, once per request of a connection.

use super::exchange::{Exchange, InProgress};
use crate::door::{Afterwards, Door};
use crate::extract::certificate::Connected;
use axum::body::Body;
use axum::http::{Request, Response};
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

pub(crate) struct Envelope {
    pub(crate) door: Arc<Door>,
    pub(crate) exchange: Arc<Exchange>,
    pub(crate) connected: Arc<Connected>,
}

impl hyper::service::Service<Request<Incoming>> for Envelope {
    type Response = Response<Answered>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Answered>, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let in_progress = self.exchange.begin();
        let (door, exchange, connected) =
            (Arc::clone(&self.door), Arc::clone(&self.exchange), Arc::clone(&self.connected));
        Box::pin(async move {
            let wish = if exchange.is_closing() { Afterwards::Close } else { Afterwards::Stay };
            let (response, read) = door.answer(request, &connected, wish).await;
            if read == Afterwards::Close {
                exchange.leave_unread();
            }
            Ok(response.map(|body| Answered { body, _in_progress: in_progress }))
        })
    }
}

/// A body that keeps its request in progress until it has been handed over.
pub(crate) struct Answered {
    body: Body,
    _in_progress: InProgress,
}

impl HttpBody for Answered {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
