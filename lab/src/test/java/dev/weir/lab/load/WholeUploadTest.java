package dev.weir.lab.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WholeUploadTest {
  private final AtomicLong sentBytes = new AtomicLong();

  /** More than sockets take in, and less: the one waits for room, the other for an answer. */
  @Test
  void aServerThatHangsIsNoticedWhileItIsSentToAndAfterwards() throws IOException {
    try (ServerSocket hanging = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      WholeUpload upload =
          new WholeUpload(hanging.getLocalPort(), Duration.ofMillis(200), sentBytes);
      for (int bytes : new int[] {256 << 20, 1}) {
        assertThatThrownBy(() -> upload.send(bytes))
            .isInstanceOf(IOException.class)
            .hasMessage("no answer to an upload from the process under test in PT0.2S");
      }
    }
  }

  @Test
  void aServerThatIsGoneHasNotAnswered() throws IOException {
    ServerSocket gone = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    gone.close();
    WholeUpload upload = new WholeUpload(gone.getLocalPort(), Duration.ofMinutes(1), sentBytes);
    assertThat(upload.send(1)).isFalse();
    assertThat(sentBytes).hasValue(0);
  }
}
