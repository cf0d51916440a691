package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.ContentCoding;
import dev.weir.compression.Texts;
import dev.weir.compression.http.SocketClient.Answer;
import dev.weir.compression.zstd.EachZstd;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clients that send what they should not, too little of it or too slowly, to a {@link
 * GatedService}.
 */
@ParameterizedClass
@MethodSource("dev.weir.compression.http.GatedService#codings")
@Timeout(20)
class UnrulySendersTest {
  /** How the length of a request is told. */
  enum Length {
    DECLARED,
    CHUNKED
  }

  /** What a request has instead of a content in its coding. */
  enum Fault {
    GARBAGE("no frame where one has to begin", "no member where one has to begin", "is damaged"),
    TRUNCATED("ends within a frame", "ends within a member", "ends before its end"),
    LONGER(
        "no frame where one has to begin", "no member where one has to begin", "brotli: the input");

    private final String[] reasons;

    /** With the reason that is told for each coding. */
    Fault(String... reasons) {
      this.reasons = reasons;
    }

    String reason(ContentCoding coding) {
      return switch (coding) {
        case ZSTD -> reasons[0];
        case GZIP -> reasons[1];
        case BROTLI -> reasons[2];
      };
    }

    byte[] instead(byte[] stream) {
      return switch (this) {
        case GARBAGE -> Texts.noise(stream.length, 3);
        case TRUNCATED -> Arrays.copyOf(stream, stream.length - 1);
        case LONGER -> {
          byte[] longer = Arrays.copyOf(stream, stream.length + 1_000);
          System.arraycopy(Texts.noise(1_000, 3), 0, longer, stream.length, 1_000);
          yield longer;
        }
      };
    }
  }

  /** What a request has more of than it may. */
  enum Excess {
    RATIO("the content is more than 200 times as long as what was sent"),
    LENGTH("the content is longer than 4,194,304 bytes");

    private final String reason;

    Excess(String reason) {
      this.reason = reason;
    }

    byte[] content() {
      return this == RATIO
          ? new byte[GatedService.MAX_BYTES - 1]
          : Texts.json(GatedService.MAX_BYTES + 1, 4);
    }
  }

  private final ContentCoding coding;
  private final GatedService service;

  UnrulySendersTest(ContentCoding coding, EachZstd zstd) {
    this.coding = coding;
    service = new GatedService(coding, zstd);
  }

  @AfterEach
  void nothingIsLive() {
    service.close();
  }

  /** Sends a request up to the middle of its content, and waits until that is in the decoder. */
  private void sendHalf(SocketClient client, Length length) throws IOException {
    byte[] stream = service.encoded(GatedService.MEDIUM);
    int half = stream.length / 2;
    if (length == Length.DECLARED) {
      client.send(service.head(GatedService.ECHO, GatedService.declared(stream)));
    } else {
      client.send(service.head(GatedService.ECHO, "transfer-encoding: chunked"));
      client.send(Integer.toHexString(stream.length) + "\r\n");
    }
    service.send(client, Arrays.copyOf(stream, half));
    SocketServer.await(
        "half of a content",
        () ->
            service.server.hasContextInUse()
                && service.server.memory.pool.liveBlockBytes() > half / 2);
  }

  @ParameterizedTest
  @EnumSource
  void whoEndsItsSideWithinAContentIsToldSo(Length length) throws IOException {
    service.start(GatedService.PATIENCE);
    try (SocketClient client = new SocketClient(service.server.address())) {
      sendHalf(client, length);
      service.assertServesAnother();
      client.halfClose();
      Answer answer = client.answer();
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.text()).isEqualTo("body cut short\n");
      assertThat(client.isAtEnd()).isTrue();
      service.assertNothingIsLeft();
    }
    service.assertServesAnother();
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsLeftOfAResetWithinARequest(Length length) throws IOException {
    service.start(GatedService.PATIENCE);
    SocketClient client = new SocketClient(service.server.address());
    sendHalf(client, length);
    service.assertServesAnother();
    client.reset();
    service.assertNothingIsLeft();
    service.assertServesAnother();
  }

  @ParameterizedTest
  @EnumSource
  void aContentThatCannotBeDecompressedIsABadRequest(Fault fault) throws IOException {
    assertIsRefused(fault.instead(service.encoded(GatedService.MEDIUM)), 400, fault.reason(coding));
  }

  @ParameterizedTest
  @EnumSource
  void aContentThatBecomesTooMuchIsRefused(Excess excess) throws IOException {
    assertIsRefused(service.encoded(excess.content()), 413, excess.reason);
  }

  private void assertIsRefused(byte[] sent, int status, String reason) throws IOException {
    service.start(GatedService.PATIENCE);
    try (SocketClient client = new SocketClient(service.server.address())) {
      client.send(service.head(GatedService.ECHO, GatedService.declared(sent)));
      client.send(sent);
      Answer answer = client.answer();
      assertThat(answer.status()).isEqualTo(status);
      assertThat(answer.text()).contains(reason);
      // The client has a moment to read that.
      service.assertServesAnother();
      client.halfClose();
      assertThat(client.isAtEnd()).isTrue();
      service.assertNothingIsLeft();
    }
    service.assertServesAnother();
  }

  @Test
  void whoSendsByteByByteIsAnswered() throws IOException {
    service.start(GatedService.PATIENCE);
    try (SocketClient client = new SocketClient(service.server.address())) {
      byte[] stream = service.encoded(GatedService.SHORT);
      service.send(
          client,
          service
              .head(GatedService.ECHO, GatedService.declared(stream))
              .getBytes(StandardCharsets.US_ASCII));
      for (int at = 0; at < stream.length; at++) {
        if (at == stream.length / 2) {
          assertThat(service.server.hasContextInUse()).isTrue();
          service.assertServesAnother();
        }
        service.send(client, new byte[] {stream[at]});
      }
      service.assertIsContent(client.answer(), GatedService.SHORT);
      client.halfClose();
      assertThat(client.isAtEnd()).isTrue();
      service.assertNothingIsLeft();
    }
  }
}
