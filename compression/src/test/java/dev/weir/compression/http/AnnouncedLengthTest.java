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

  @Test
  void theFrameIsWholeBeforeTheLastMessage() {
    byte[] content = Texts.json(20_000, 1);
    begin("zstd", content.length);
    write(content, 0, 5_000);
    fixture.channel.flush();
    write(content, 5_000, 15_000);
    ResponseFixture.Written whole =
        new ResponseFixture.Written(encodedHead(), received(), 0, /* ended= */ false);
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

  private HttpResponse encodedHead() {
    HttpResponse head = fixture.head("application/json");
    head.headers().set(HttpHeaderNames.CONTENT_ENCODING, "zstd");
    return head;
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 10_000, BLOCK_BYTES})
  void moreThanAnnouncedEndsTheConnectionWithTheFirstByteTooMany(int more) {
    byte[] content = Texts.json(20_000 + more, 2);
    begin("zstd", 20_000);
    assertThat(write(content, 0, 20_000).isDone()).isFalse();
    ChannelFuture tooMuch = write(content, 20_000, more);
    assertThat(tooMuch.cause()).isNotNull();
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  @Test
  void moreThanAnnouncedInOnePartEndsTheConnection() {
    byte[] content = Texts.json(30_000, 3);
    begin("zstd", 20_000);
    assertThat(write(content, 0, 30_000).cause()).isNotNull();
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  @Test
  void moreThanAnnouncedWithTheLastMessageEndsTheConnection() {
    byte[] content = Texts.json(20_001, 4);
    begin("zstd", 20_000);
    write(content, 0, 20_000);
    assertThat(catchThrowable(() -> end(content, 20_000).sync())).isNotNull();
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {2_000, 19_999})
  void lessThanAnnouncedEndsTheConnection(int bytes) {
    byte[] content = Texts.json(bytes, 5);
    begin("zstd", 20_000);
    write(content, 0, bytes);
    ChannelFuture last = fixture.channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
    assertThat(last.cause()).isNotNull();
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  /** These libraries are told no length, and hold nobody to one. */
  @ParameterizedTest
  @ValueSource(strings = {"br", "gzip"})
  void otherCodingsTakeWhatComes(String coding) {
    for (int bytes : new int[] {15_000, 25_000}) {
      byte[] content = Texts.json(bytes, 6);
      begin(coding, 20_000);
      write(content, 0, 10_000);
      end(content, 10_000);
      assertThat(fixture.decoded(fixture.written())).isEqualTo(content);
    }
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
