package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.AdmissionRefusedException;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoggedRefusalsTest {
  private static final int BYTES = 100;

  private final Logger logger = Logger.getLogger(RefusedRequestException.class.getPackageName());
  private final List<LogRecord> records = new ArrayList<>();
  private final List<Boolean> answeredBefore = new ArrayList<>();
  private BooleanSupplier answered = () -> false;
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord logRecord) {
          records.add(logRecord);
          answeredBefore.add(answered.getAsBoolean());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    logger.setLevel(Level.ALL);
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
  }

  @AfterEach
  void listenNoMore() {
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
    logger.setLevel(null);
  }

  private static final OutOfMemoryError NO_DIRECT_MEMORY =
      new OutOfMemoryError("Cannot reserve 100 bytes of direct buffer memory");

  private void assertLogged(Throwable failure) {
    assertThat(records).extracting(LogRecord::getThrown).containsExactly(failure);
  }

  @Test
  void whatBecameOfADiskIsLogged() {
    IOException full = new IOException("No space left on device");
    RefusedRequestException refusal = SpilledBody.failed(full);
    assertThat(refusal).hasMessageNotContaining("space");
    refusal.log();
    assertLogged(full);
  }

  @Test
  void boundsThatWereSetAreNot() {
    var refusal = new AdmissionRefusedException(AdmissionRefusedException.Reason.DEADLINE, "full");
    RefusedRequestException.notAdmitted(100, refusal).log();
    RefusedRequestException.notAdmitted(100, NO_DIRECT_MEMORY).log();
    assertThat(records).isEmpty();
  }

  @Test
  void anAdmissionThatFailsIsLoggedOnceItsClientHasTheAnswer() {
    IllegalStateException closed = new IllegalStateException("the pool is closed");
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new BudgetedHttpAggregator(failing(closed), AggregatorOptions.upTo(BYTES)));
    answered = () -> !channel.outboundMessages().isEmpty();
    channel.writeInbound(head());
    FullHttpResponse answer = channel.readOutbound();
    assertThat(answer.status().code()).isEqualTo(503);
    assertThat(answer.content().toString(StandardCharsets.US_ASCII)).doesNotContain("pool");
    answer.release();
    channel.finishAndReleaseAll();
    assertLogged(closed);
    assertThat(answeredBefore).containsExactly(true);
  }

  private static Admission failing(RuntimeException failure) {
    return (bytes, deadline) -> {
      throw failure;
    };
  }

  private static HttpRequest head() {
    HttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/");
    head.headers().set(HttpHeaderNames.CONTENT_LENGTH, BYTES);
    return head;
  }
}
