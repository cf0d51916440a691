package dev.weir.lab.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An upload by HTTP/1.1 on a connection of its own, as fast as the server takes it. Thread-safe:
 * each call is an upload.
 */
public final class WholeUpload {
  private static final int PIECE_BYTES = 64 << 10;
  private static final int ANSWER_BYTES = 12;
  private static final String OK = "HTTP/1.1 200";

  private final int port;
  private final Duration limit;
  private final AtomicLong sentBytes;

  /**
   * Uploads to the port of this machine.
   *
   * @param limit the longest that an upload may take; then the server counts as hanging
   * @param sentBytes what has been sent of bodies that are not answered yet
   */
  public WholeUpload(int port, Duration limit, AtomicLong sentBytes) {
    this.port = port;
    this.limit = limit;
    this.sentBytes = sentBytes;
  }

  /**
   * Sends a body of so many bytes; returns whether the server answered that it has it.
   *
   * @throws IOException if it neither takes it and answers in time, nor breaks the connection
   */
  public boolean send(int bytes) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return CompletableFuture.supplyAsync(
              () -> isAnswered(socket, bytes), Thread::startVirtualThread)
          .get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException silent) {
      throw new IOException(
          "no answer to an upload from the process under test in " + limit, silent);
    } catch (SocketException closed) {
      return false;
    } catch (ExecutionException failed) {
      throw new IllegalStateException(failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while uploading");
    }
  }

  private boolean isAnswered(Socket socket, int bytes) {
    byte[] piece = new byte[PIECE_BYTES];
    int sent = 0;
    try {
      OutputStream out = socket.getOutputStream();
      String head = "POST / HTTP/1.1\r\nHost: lab\r\nContent-Length: " + bytes + "\r\n\r\n";
      out.write(head.getBytes(US_ASCII));
      while (sent < bytes) {
        int next = Math.min(PIECE_BYTES, bytes - sent);
        out.write(piece, 0, next);
        sent += next;
        sentBytes.addAndGet(next);
      }
      return answer(socket.getInputStream());
    } catch (IOException reset) {
      return false;
    } finally {
      sentBytes.addAndGet(-sent);
    }
  }

  private static boolean answer(InputStream in) throws IOException {
    return new String(in.readNBytes(ANSWER_BYTES), US_ASCII).equals(OK);
  }
}
