//! The door as hyper calls it, once per request of a connection.

use super::exchange::{Exchange, InProgress};
use crate::door::{Afterwards, Door};
use crate::extract::certificate::Connected;
use crate::reply::content::Content;
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
    type Future = Answering;

    fn call(&self, request: Request<Incoming>) -> Answering {
        let in_progress = self.exchange.begin();
        let wish = if self.exchange.is_closing() { Afterwards::Close } else { Afterwards::Stay };
        if let Some(shown) = self.door.show(&request, &self.connected, wish) {
            return Answering::Done(Some(handed_over(shown, &self.exchange, in_progress)));
        }
        let (door, exchange, connected) =
            (Arc::clone(&self.door), Arc::clone(&self.exchange), Arc::clone(&self.connected));
        Answering::Working(Box::pin(async move {
            let answered = door.answer(request, &connected, wish).await;
            handed_over(answered, &exchange, in_progress)
        }))
    }
}

fn handed_over(
    (response, read): (Response<Content>, Afterwards),
    exchange: &Exchange,
    in_progress: InProgress,
) -> Response<Answered> {
    if read == Afterwards::Close {
        exchange.leave_unread();
    }
    response.map(|content| Answered { content, _in_progress: in_progress })
}

/// An answer that is there, or that is being worked on.
pub(crate) enum Answering {
    /// Nothing, once it was taken.
    Done(Option<Response<Answered>>),
    Working(Pin<Box<dyn Future<Output = Response<Answered>> + Send>>),
}

impl Future for Answering {
    type Output = Result<Response<Answered>, Infallible>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            Self::Done(response) => {
                response.take().map_or(Poll::Pending, |response| Poll::Ready(Ok(response)))
            }
            Self::Working(work) => work.as_mut().poll(context).map(Ok),
        }
    }
}

/// Content that keeps its request in progress until it has been handed over.
pub(crate) struct Answered {
    content: Content,
    _in_progress: InProgress,
}

impl HttpBody for Answered {
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
