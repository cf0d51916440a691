package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import dev.weir.compression.CompressionOptions;
import dev.weir.compression.ContentCoding;
import dev.weir.compression.Texts;
import dev.weir.compression.http.RequestFixture.Got;
import dev.weir.compression.http.ResponseFixture.Written;
import dev.weir.compression.zstd.EachZstd;
import dev.weir.compression.zstd.ZstdDictionary;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What both sides know beforehand makes requests and responses shorter, under pressure too. */
class DictionariesTest {
  private static final int BYTES = 2_000;
  private static final byte[] CONTENT = Texts.json(BYTES, 1);

  private static byte[] trained;
  private static byte[] other;

  @BeforeAll
  static void train() {
    trained = Texts.dictionary(1_000);
    other = Texts.dictionary(999);
  }

  private static CompressionOptions forRequests() {
    return CompressionOptions.DEFAULT.withDictionaries(ZstdDictionary.of(trained), null);
  }

  private static CompressionOptions forResponses() {
    return CompressionOptions.DEFAULT.withDictionaries(null, ZstdDictionary.of(trained));
  }

  /** As another implementation does it. */
  private static byte[] encoded(byte[] dictionary) {
    try (ZstdCompressCtx context = new ZstdCompressCtx()) {
      return context.loadDict(dictionary).compress(CONTENT);
    }
  }

  private static byte[] decoded(byte[] frame) {
    try (ZstdDecompressCtx context = new ZstdDecompressCtx()) {
      return context.loadDict(trained).decompress(frame, BYTES);
    }
  }

  private static Written streamed(ResponseFixture fixture) {
    fixture.request("zstd");
    fixture.channel.write(fixture.head("application/json"));
    fixture.channel.write(fixture.content(CONTENT, 0, BYTES));
    fixture.channel.writeOutbound(LastHttpContent.EMPTY_LAST_CONTENT);
    return fixture.written();
  }

  @ParameterizedTest
  @CsvSource({"SYSTEM, false", "SYSTEM, true", "JNI, false", "JNI, true"})
  void responsesReferToTheirs(EachZstd zstd, boolean underPressure) {
    byte[] without;
    try (ResponseFixture fixture = new ResponseFixture()) {
      without = streamed(fixture).content();
    }
    try (ResponseFixture fixture =
        new ResponseFixture(
            zstd.library(), forResponses(), ResponseOptions.DEFAULT, /* output= */ null)) {
      if (underPressure) {
        fixture.memory.budget.setLimitBytes(16 << 20);
        fixture.memory.budget.setSoftLimitBytes(0);
      }
      Written written = streamed(fixture);
      long contextBytes = fixture.compression.idleBytes();
      assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING)).isEqualTo("zstd");
      assertThat(written.content().length).isLessThan(without.length * 9 / 10);
      assertThat(decoded(written.content())).isEqualTo(CONTENT);
      assertThat(contextBytes).isPositive();
      assertThat(contextBytes < 1 << 20).as("a small context").isEqualTo(underPressure);
      fixture.request("zstd");
      fixture.channel.writeOutbound(fixture.whole(CONTENT, "application/json"));
      assertThat(decoded(fixture.written().content())).as("of known length").isEqualTo(CONTENT);
    }
  }

  @ParameterizedTest
  @CsvSource({"SYSTEM, false", "SYSTEM, true", "JNI, false", "JNI, true"})
  void requestsMayReferToTheirs(EachZstd zstd, boolean underPressure) {
    byte[] frame = encoded(trained);
    try (RequestFixture fixture =
        new RequestFixture(zstd.library(), forRequests(), RequestOptions.upTo(1 << 20))) {
      if (underPressure) {
        fixture.memory.budget.setLimitBytes(16 << 20);
        fixture.memory.budget.setSoftLimitBytes(0);
      }
      for (int piece : new int[] {7, frame.length}) {
        fixture.send("zstd", frame, piece);
        Got got = fixture.got();
        assertThat(got.content()).isEqualTo(CONTENT);
        assertThat(got.ended()).isTrue();
      }
      // Nobody has to: this one is encoded without.
      fixture.send("zstd", fixture.encode(ContentCoding.ZSTD, CONTENT), 100);
      assertThat(fixture.got().content()).isEqualTo(CONTENT);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRequestThatRefersToAnotherIsRefused(EachZstd zstd) {
    try (RequestFixture fixture =
        new RequestFixture(zstd.library(), forRequests(), RequestOptions.upTo(1 << 20))) {
      assertRefused(fixture, encoded(other));
    }
    try (RequestFixture fixture =
        new RequestFixture(zstd.library(), forResponses(), RequestOptions.upTo(1 << 20))) {
      // What responses refer to is nothing that requests may.
      assertRefused(fixture, encoded(trained));
    }
  }

  private static void assertRefused(RequestFixture fixture, byte[] frame) {
    fixture.send("zstd", frame, frame.length);
    assertThat(fixture.answer()).isEqualTo(400);
    fixture.channel.advanceTimeBy(1, TimeUnit.MINUTES);
    fixture.channel.runScheduledPendingTasks();
    assertThat(fixture.channel.isOpen()).isFalse();
    fixture.got();
  }

  @ParameterizedTest
  @EnumSource
  void whatRequestsReferToIsNothingForResponses(EachZstd zstd) {
    try (ResponseFixture fixture =
        new ResponseFixture(
            zstd.library(), forRequests(), ResponseOptions.DEFAULT, /* output= */ null)) {
      Written written = streamed(fixture);
      assertThat(fixture.decoded(written)).isEqualTo(CONTENT);
      try (ZstdDecompressCtx context = new ZstdDecompressCtx()) {
        assertThat(context.decompress(written.content(), BYTES)).isEqualTo(CONTENT);
      }
    }
    try (ZstdDecompressCtx context = new ZstdDecompressCtx()) {
      assertThatThrownBy(() -> context.decompress(encoded(trained), BYTES))
          .as("one that does refer to something")
          .isInstanceOf(ZstdException.class);
    }
  }
}
