package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.handler.codec.http.DefaultHttpContent;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoggedFailuresTest {
  private final Logger logger = Logger.getLogger(HttpResponseCompressor.class.getPackageName());
  private final List<LogRecord> records = new ArrayList<>();

  @BeforeEach
  void listen() {
    logger.setLevel(Level.ALL);
    logger.setFilter(told -> !records.add(told));
  }

  @AfterEach
  void listenNoMore() {
    logger.setFilter(null);
    logger.setLevel(null);
  }

  /** At which level depends on what others have had logged in the minute before. */
  @Test
  void anAllocatorThatIsNotToBeHadIsToldOf() {
    IllegalStateException broken = new IllegalStateException("made to fail");
    try (ResponseFixture compressing =
        new ResponseFixture(
            ResponseOptions.DEFAULT,
            () -> {
              throw broken;
            })) {
      compressing.request("gzip");
      compressing.channel.writeOutbound(compressing.whole(new byte[10_000], "text/plain"));
      compressing.channel.releaseOutbound();
    }
    assertThat(records).extracting(LogRecord::getThrown).containsExactly(broken);
  }

  /** Each request may meet it. */
  @Test
  void requestsThatCannotBeDecompressedFillNoLog() {
    for (int i = 0; i < 3; i++) {
      try (RequestFixture decompressing = new RequestFixture(RequestOptions.upTo(1_000))) {
        decompressing.head("gzip");
        decompressing.got();
        decompressing.channel.writeInbound(
            new DefaultHttpContent(
                new UnpooledHeapByteBuf(UnpooledByteBufAllocator.DEFAULT, 1, 1) {
                  @Override
                  public int readableBytes() {
                    throw new IllegalStateException("made to fail");
                  }
                }));
        assertThat(decompressing.answer()).isEqualTo(500);
      }
    }
    assertThat(records)
        .hasSize(3)
        .filteredOn(told -> told.getLevel() == Level.WARNING)
        .hasSizeLessThanOrEqualTo(1);
  }
}
