package dev.weir.server;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Sends what it is given in two parts, so far apart that the other side has read the first. */
final class DividingSocket extends Socket {
  private static final long APART_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  volatile boolean divides;

  @Override
  public OutputStream getOutputStream() throws IOException {
    return new FilterOutputStream(super.getOutputStream()) {
      @Override
      public void write(byte[] bytes, int from, int length) throws IOException {
        int first = divides ? length / 2 : length;
        out.write(bytes, from, first);
        if (first < length) {
          LockSupport.parkNanos(APART_NANOS);
          out.write(bytes, from + first, length - first);
        }
      }
    };
  }
}
