package dev.weir.netty.transport;

import io.netty.channel.IoEvent;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * A socket whose interest in input ends lazily: epoll is told when input comes that nobody wants.
 * Handlers that read on demand end and renew that interest for each message.
 *
 * <pre>
 *   wanted ──no longer──▶ still in epoll ──wanted again──▶ wanted          no system call
 *                               └──────────input comes──▶ told to epoll   the event is dropped
 * </pre>
 *
 * For the event loop.
 */
// The signature of close is Netty's.
@SuppressWarnings("try")
final class LazyEpollHandle implements EpollIoHandle {
  private final EpollIoHandle socket;
  private @Nullable Interest interest;

  LazyEpollHandle(EpollIoHandle socket) {
    this.socket = socket;
  }

  /** What the channel gets as its registration. */
  IoRegistration registered(IoRegistration registration) {
    Interest made = new Interest(registration);
    interest = made;
    return made;
  }

  @Override
  public FileDescriptor fd() {
    return socket.fd();
  }

  @Override
  public void handle(IoRegistration registration, IoEvent event) {
    EpollIoOps ready = ((EpollIoEvent) event).ops();
    Interest known = interest;
    if (known == null || !ready.contains(EpollIoOps.EPOLLIN) || !known.hasUnwantedInput()) {
      socket.handle(registration, event);
      return;
    }
    known.tell();
    EpollIoOps rest = ready.without(EpollIoOps.EPOLLIN);
    if (!rest.equals(EpollIoOps.NONE)) {
      EpollIoEvent others = () -> rest;
      socket.handle(registration, others);
    }
  }

  @Override
  public void registered() {
    socket.registered();
  }

  @Override
  public void unregistered() {
    socket.unregistered();
  }

  @Override
  public void close() throws Exception {
    socket.close();
  }

  /** What the channel wants, and what epoll knows of it. */
  private static final class Interest implements IoRegistration {
    private final IoRegistration registration;
    private EpollIoOps wanted = EpollIoOps.NONE;
    private @Nullable EpollIoOps told;

    Interest(IoRegistration registration) {
      this.registration = registration;
    }

    @Override
    public long submit(IoOps ops) {
      wanted = ((EpollIoOps) ops).without(EpollIoOps.EPOLLRDHUP);
      if (wanted.equals(told) || wanted.with(EpollIoOps.EPOLLIN).equals(told)) {
        return wanted.value();
      }
      return tell();
    }

    boolean hasUnwantedInput() {
      return !wanted.contains(EpollIoOps.EPOLLIN);
    }

    long tell() {
      told = wanted;
      return registration.submit(wanted.equals(EpollIoOps.NONE) ? EpollIoOps.EPOLLET : wanted);
    }

    // The signature is Netty's.
    @SuppressWarnings("TypeParameterUnusedInFormals")
    @Override
    public <T> T attachment() {
      return registration.attachment();
    }

    @Override
    public boolean isValid() {
      return registration.isValid();
    }

    @Override
    public boolean cancel() {
      return registration.cancel();
    }
  }
}
