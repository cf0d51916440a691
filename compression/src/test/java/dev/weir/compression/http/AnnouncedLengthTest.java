package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.compression.Texts;
import dev.weir.compression.zstd.EachZstd;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses in parts whose heads tell how long they are, rightly or not. */
@ParameterizedClass
@EnumSource(EachZstd.class)
class AnnouncedLengthTest {
  /** What a frame of zstd is made of. */
  private static final int BLOCK_BYTES = 128 << 10;

  private final ResponseFixture fixture;

  AnnouncedLengthTest(EachZstd zstd) {
    fixture = new ResponseFixture(zstd.library());
  }

  @AfterEach
  void everythingIsGivenBack() {
    fixture.close();
  }

  private HttpResponse head(long announcedBytes) {
    HttpResponse head = fixture.head("application/json");
    head.headers().remove(HttpHeaderNames.TRANSFER_ENCODING);
    head.headers().set(HttpHeaderNames.CONTENT_LENGTH, announcedBytes);
    return head;
  }

  private void begin(String coding, long announcedBytes) {
    fixture.request(coding);
    fixture.channel.write(head(announcedBytes));
  }

  private ChannelFuture write(byte[] content, int from, int bytes) {
    return fixture.channel.write(fixture.content(content, from, bytes));
  }

  private ChannelFuture end(byte[] content, int from) {
    return fixture.channel.writeAndFlush(
        new DefaultLastHttpContent(
            fixture.content(content, from, content.length - from).content()));
  }

  private byte[] received() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    fixture.channel.flushOutbound();
    for (Object message = fixture.channel.readOutbound();
        message != null;
        message = fixture.channel.readOutbound()) {
      if (message instanceof HttpContent part) {
        all.writeBytes(ByteBufUtil.getBytes(part.content()));
      }
      ReferenceCountUtil.release(message);
    }
    return all.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(strings = {"zstd", "br", "gzip"})
  void contentsOfTheAnnouncedLengthArriveHoweverTheyAreCut(String coding) {
    int[] lengths = {
      2_000, 20_000, 64 << 10, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 700_000
    };
    for (int bytes : lengths) {
      byte[] content = Texts.json(bytes, bytes);
      for (int part : new int[] {bytes, 64 << 10, 1 + bytes / 2, 1 + bytes / 7}) {
        begin(coding, bytes);
        for (int at = 0; at < bytes; at += part) {
          write(content, at, Math.min(part, bytes - at));
        }
        fixture.channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
        ResponseFixture.Written written = fixture.written();
        assertThat(written.ended()).isTrue();
        assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING)).isEqualTo(coding);
        assertThat(written.header(HttpHeaderNames.CONTENT_LENGTH)).isNull();
        assertThat(fixture.decoded(written)).isEqualTo(content);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"zstd", "br", "gzip"})
  void theFrameIsWholeBeforeTheLastMessage(String coding) {
    byte[] content = Texts.json(20_000, 1);
    begin(coding, content.length);
    write(content, 0, 5_000);
    fixture.channel.flush();
    write(content, 5_000, 15_000);
    ResponseFixture.Written whole =
        new ResponseFixture.Written(encodedHead(coding), received(), 0, /* ended= */ false);
    assertThat(fixture.decoded(whole)).isEqualTo(content);
    // What comes now has no bytes: contents, a flush, an end with trailers.
    fixture.channel.writeAndFlush(new DefaultHttpContent(ResponseFixture.none()));
    LastHttpContent last = new DefaultLastHttpContent();
    last.trailingHeaders().set("x-sum", "1");
    fixture.channel.writeAndFlush(last);
    HttpContent between = fixture.channel.readOutbound();
    assertThat(between.content().isReadable()).isFalse();
    LastHttpContent sent = fixture.channel.readOutbound();
    assertThat(sent.content().isReadable()).isFalse();
    assertThat(sent.trailingHeaders().get("x-sum")).isEqualTo("1");
    assertThat(fixture.channel.isActive()).isTrue();
  }

  private HttpResponse encodedHead(String coding) {
    HttpResponse head = fixture.head("application/json");
    head.headers().set(HttpHeaderNames.CONTENT_ENCODING, coding);
    return head;
  }

  @ParameterizedTest
  @CsvSource({
    "zstd, 100",
    "zstd, 10000",
    "zstd, 131072",
    "br, 100",
    "br, 131072",
    "gzip, 100",
    "gzip, 131072"
  })
  void moreThanAnnouncedEndsTheConnectionWithTheFirstByteTooMany(String coding, int more) {
    byte[] content = Texts.json(20_000 + more, 2);
    begin(coding, 20_000);
    assertThat(write(content, 0, 20_000).isDone()).isFalse();
    ChannelFuture tooMuch = write(content, 20_000, more);
    assertThat(tooMuch.cause()).isNotNull();
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"zstd", "br", "gzip"})
  void moreThanAnnouncedInOnePartEndsTheConnection(String coding) {
    byte[] content = Texts.json(30_000, 3);
    begin(coding, 20_000);
    assertThat(write(content, 0, 30_000).cause()).isNotNull();
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"zstd", "br", "gzip"})
  void moreThanAnnouncedWithTheLastMessageEndsTheConnection(String coding) {
    byte[] content = Texts.json(20_001, 4);
    begin(coding, 20_000);
    write(content, 0, 20_000);
    assertThat(catchThrowable(() -> end(content, 20_000).sync())).isNotNull();
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"zstd, 2000", "zstd, 19999", "br, 2000", "br, 19999", "gzip, 2000", "gzip, 19999"})
  void lessThanAnnouncedEndsTheConnection(String coding, int bytes) {
    byte[] content = Texts.json(bytes, 5);
    begin(coding, 20_000);
    write(content, 0, bytes);
    ChannelFuture last = fixture.channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
    assertThat(last.cause()).isNotNull();
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"zstd, 19000", "zstd, 21000", "br, 19000", "br, 21000", "gzip, 19000", "gzip, 21000"})
  void aLastMessageThatIsAllIsHeldToTheLengthToo(String coding, int bytes) {
    begin(coding, 20_000);
    assertThat(end(Texts.json(bytes, 8), 0).cause()).isNotNull();
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  @Test
  void theNextResponseIsAsGoodAsTheFirst() {
    byte[] content = Texts.json(20_000, 7);
    for (int i = 0; i < 3; i++) {
      begin("zstd", content.length);
      write(content, 0, content.length);
      fixture.channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
      assertThat(fixture.decoded(fixture.written())).isEqualTo(content);
    }
  }
}
