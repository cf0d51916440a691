package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.ContentCoding;
import dev.weir.compression.zstd.EachZstd;
import dev.weir.netty.write.OutboundClosing;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients that take their answer late, in part or not at all, of a {@link GatedService}. */
@ParameterizedClass
@MethodSource("dev.weir.compression.http.GatedService#codings")
@Timeout(20)
class UnrulyReceiversTest {
  private static final Duration SLOW_TIME = Duration.ofMillis(100);

  private final GatedService service;

  UnrulyReceiversTest(ContentCoding coding, EachZstd zstd) {
    service = new GatedService(coding, zstd);
  }

  @AfterEach
  void nothingIsLive() {
    service.close();
  }

  @ParameterizedTest
  @EnumSource
  void whoEndsItsSideBehindARequestGetsAllOfTheAnswer(GatedService.Way way) throws IOException {
    service.start(GatedService.PATIENCE);
    try (SocketClient client = new SocketClient(service.server.address())) {
      service.ask(client, way);
      client.halfClose();
      SocketServer.await("the end of the client's side", () -> service.endedInputs.get() == 1);
      service.assertServesAnother();
      service.assertIsContent(client.answer(), GatedService.LONG);
      assertThat(client.isAtEnd()).isTrue();
      service.assertNothingIsLeft();
    }
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsLeftOfAResetWithinAnAnswer(GatedService.Way way) throws IOException {
    service.start(GatedService.PATIENCE);
    SocketClient client = new SocketClient(service.server.address());
    service.ask(client, way);
    client.takeSome();
    assertThat(service.server.hasContextInUse()).isEqualTo(way == GatedService.Way.PULLED);
    service.assertServesAnother();
    client.reset();
    service.assertNothingIsLeft();
    service.assertServesAnother();
  }

  @ParameterizedTest
  @EnumSource
  void whoNeverReadsIsClosed(GatedService.Way way) throws IOException {
    service.start(SLOW_TIME);
    try (SocketClient client = new SocketClient(service.server.address())) {
      service.ask(client, way);
      service.assertServesAnother();
      // The client is there all the time.
      service.assertNothingIsLeft();
      assertThat(service.writeGate.slowClosings()).isEqualTo(1);
      assertThat(service.closings)
          .extracting(OutboundClosing::message)
          .containsExactly("the peer has left more than 65536 bytes queued for PT0.1S");
      service.assertServesAnother();
    }
  }
}
