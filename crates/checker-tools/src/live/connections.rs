//! Accepts connections, and limits how many there are and how long each may take.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, Sleep, sleep, timeout};

/// The longest head of a request, in bytes.
const MAX_HEAD_BYTES: usize = 32 << 10;
/// How long open requests may take when the server ends.
const END_TIME: Duration = Duration::from_secs(1);

/// The address that a connection comes from; each request carries it as an extension.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub IpAddr);

/// How many connections there may be, and how long a client may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at once. A browser opens six.
    pub connections: usize,
    /// For the head of a request, and between two requests of a connection.
    pub head: Duration,
    /// Until it takes the next bytes of an answer.
    pub write: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let (head, write) = (Duration::from_secs(30), Duration::from_secs(30));
        Self { connections: 256, head, write }
    }
}

/// Serves `app` until `stop` is done; then open requests get a little time to end.
pub async fn run(listener: TcpListener, app: Router, limits: Limits, stop: impl Future) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(MAX_HEAD_BYTES);
    let permits = Arc::new(Semaphore::new(limits.connections));
    let graceful = GracefulShutdown::new();
    let mut stop = pin!(stop);
    loop {
        let next = async {
            let permit = Arc::clone(&permits).acquire_owned().await;
            (permit, listener.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            next = next => next,
            _ = &mut stop => break,
        };
        let Ok((stream, peer)) = accepted else {
            // The process has too many open files, or the client is gone already.
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        // Small answers must not wait for a full packet.
        let _ = stream.set_nodelay(true);
        let stream = TokioIo::new(Deadline::new(stream, limits.write));
        let app = TowerToHyperService::new(app.clone());
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(Peer(peer.ip()));
            app.call(request)
        });
        let connection = graceful.watch(http.serve_connection(stream, service));
        tokio::spawn(async move {
            // A client that closes its connection is no error.
            let _ = connection.await;
            drop(permit);
        });
    }
    drop(listener);
    let _ = timeout(END_TIME, graceful.shutdown()).await;
}

/// A stream that fails when the other side takes no bytes for some time. A client that reads
/// nothing would otherwise keep its connection for ever.
struct Deadline {
    stream: TcpStream,
    limit: Duration,
    /// Runs while a write waits.
    timer: Pin<Box<Sleep>>,
    waits: bool,
}

impl Deadline {
    fn new(stream: TcpStream, limit: Duration) -> Self {
        Self { stream, limit, timer: Box::pin(sleep(limit)), waits: false }
    }

    /// The result of an attempt to write; an error if it has been pending for too long.
    fn limited<T>(
        &mut self,
        context: &mut Context,
        result: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if result.is_ready() {
            self.waits = false;
            return result;
        }
        if !self.waits {
            self.waits = true;
            self.timer.as_mut().reset(Instant::now() + self.limit);
        }
        ready!(self.timer.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Deadline {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context,
        buffer: &mut ReadBuf,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Deadline {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.limited(context, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context,
        parts: &[io::IoSlice],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.limited(context, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_flush(context);
        self.limited(context, result)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_shutdown(context);
        self.limited(context, result)
    }
}
