package dev.weir.objects.s3;

import static dev.weir.streams.objects.Outcomes.await;
import static dev.weir.streams.objects.Outcomes.nativeBytes;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.streams.objects.ObjectContent;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.objects.PutCondition;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A service that answers before the request is whole. */
class EarlyAnswerTest {
  private static final String REFUSAL =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n";

  private final CountDownLatch isOver = new CountDownLatch(1);

  @Test
  void aRefusalEndsAWriteThatIsNotSentYet() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress())) {
      Thread.ofPlatform().daemon().start(() -> serve(server));
      int length = 15 << 20;
      try (S3ObjectStore store =
          S3ObjectStore.unprobed(
              S3Options.of(URI.create("s3://bucket"))
                  .withEndpoint(URI.create("http://127.0.0.1:" + server.getLocalPort()))
                  .withCredentials("key", "secret"))) {
        assertThatThrownBy(() ->
                await(
                    store.put(
                        "a", ObjectContent.of(nativeBytes(1, length)), PutCondition.always())))
            .isInstanceOf(ObjectStoreException.class)
            .hasMessageContaining("403");
        isOver.countDown();
      }
    }
  }

  /** Answers after the first piece, and reads no further: the request can never be whole. */
  private void serve(ServerSocket server) {
    try (Socket socket = server.accept()) {
      InputStream in = socket.getInputStream();
      in.readNBytes(16 << 10);
      socket.getOutputStream().write(REFUSAL.getBytes(StandardCharsets.US_ASCII));
      isOver.await();
    } catch (IOException | InterruptedException e) {
      // The client has gone.
    }
  }
}
