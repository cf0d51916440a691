package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.Texts;
import dev.weir.compression.http.ResponseFixture.Written;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpChunkedInput;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.stream.ChunkedStream;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Applications that write in orders of their own, and what else there is beside a plain content.
 */
class DisturbedResponsesTest {
  private static final String JSON = "application/json";

  @TempDir Path directory;
  private final ResponseFixture fixture = new ResponseFixture();

  @AfterEach
  void nothingIsHeld() {
    fixture.close();
  }

  private DefaultFileRegion file() throws Exception {
    File file = directory.resolve("file").toFile();
    Files.write(file.toPath(), Texts.json(5_000, 3));
    return new DefaultFileRegion(file, 0, file.length());
  }

  private List<Object> outbound() {
    List<Object> all = new ArrayList<>();
    for (Object next = fixture.channel.readOutbound();
        next != null;
        next = fixture.channel.readOutbound()) {
      ReferenceCountUtil.release(next);
      all.add(next);
    }
    return all;
  }

  @ParameterizedTest
  @ValueSource(strings = {"zstd", "gzip"})
  void whatIsWrittenAsTheHeadFillsTheChannelComesBehindWhatIsBeingWritten(String coding) {
    byte[] text = Texts.json(10_000, 1);
    List<ChannelFuture> writes = new ArrayList<>();
    fixture
        .channel
        .pipeline()
        .addLast(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelWritabilityChanged(ChannelHandlerContext ctx) {
                if (writes.isEmpty()) {
                  writes.add(ctx.write(fixture.content(text, 5_000, 5_000)));
                  writes.add(ctx.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT));
                }
              }
            });
    fixture.channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
    fixture.request(coding);
    fixture.channel.write(fixture.head(JSON));
    ChannelFuture first = fixture.channel.write(fixture.content(text, 0, 5_000));
    Written written = fixture.written();
    assertThat(writes).hasSize(2).allMatch(ChannelFuture::isSuccess);
    assertThat(first.isSuccess()).isTrue();
    assertThat(written.ended()).isTrue();
    assertThat(fixture.decoded(written)).isEqualTo(text);
  }

  /** The cut that a full channel owes is one of a response that has ended meanwhile. */
  @Test
  void aHeadIsNotDecidedForTheFlushOfTheResponseBeforeIt() throws Exception {
    fixture.request("zstd");
    fixture.request("zstd");
    fixture.channel.write(fixture.head(JSON));
    fixture.channel.write(fixture.content(Texts.json(20_000, 1), 0, 20_000));
    fixture.channel.unsafe().outboundBuffer().setUserDefinedWritability(5, false);
    fixture.channel.flush();
    fixture.channel.write(LastHttpContent.EMPTY_LAST_CONTENT);
    fixture.channel.write(fixture.head(JSON));
    fixture.channel.unsafe().outboundBuffer().setUserDefinedWritability(5, true);
    fixture.channel.runPendingTasks();
    assertThat(fixture.written().ended()).as("what was written with the flush has gone").isTrue();
    ChannelFuture sent = fixture.channel.write(file());
    fixture.channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
    assertThat(sent.isSuccess()).isTrue();
    assertThat(fixture.channel.isOpen()).isTrue();
    HttpResponse second = (HttpResponse) outbound().getFirst();
    assertThat(second.headers().get(HttpHeaderNames.CONTENT_ENCODING)).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"zstd, identity;q=0", "zstd, *;q=0"})
  void aFileIsNoAnswerToWhoTakesNothingUncompressed(String accepted) throws Exception {
    fixture.request(accepted);
    fixture.channel.write(fixture.head(JSON));
    ChannelFuture file = fixture.channel.write(file());
    fixture.channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
    assertThat(file.isSuccess()).isTrue();
    assertThat(outbound())
        .singleElement()
        .satisfies(
            answer -> assertThat(((FullHttpResponse) answer).status().code()).isEqualTo(503));
    fixture.request("zstd");
    fixture.channel.writeAndFlush(fixture.whole(Texts.json(5_000, 1), JSON));
    assertThat(fixture.decoded(fixture.written())).isEqualTo(Texts.json(5_000, 1));
  }

  /** An input is the end of its response, so the compressor may leave behind it. */
  @Test
  void anInputIsTheEndOfAResponseThatIsAnotherInItsPlace() {
    fixture.request("zstd, identity;q=0");
    fixture.channel.write(fixture.head(JSON));
    fixture.channel.writeAndFlush(
        new HttpChunkedInput(new ChunkedStream(new ByteArrayInputStream(new byte[20_000]))));
    assertThat(outbound())
        .singleElement()
        .satisfies(
            answer -> assertThat(((FullHttpResponse) answer).status().code()).isEqualTo(503));
    fixture.channel.pipeline().remove(HttpResponseCompressor.class);
    assertThat(fixture.channel.isOpen()).isTrue();
  }

  /** For want of Java heap, say. */
  @Test
  void aHeadThatCannotPassBeforeAFileFails() throws Exception {
    fixture.request("zstd");
    HttpHeaders headers =
        new DefaultHttpHeaders() {
          @Override
          public HttpHeaders copy() {
            throw new OutOfMemoryError("made to fail");
          }
        };
    headers.set(HttpHeaderNames.CONTENT_TYPE, JSON);
    ChannelFuture head =
        fixture.channel.write(
            new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, headers));
    ChannelFuture file = fixture.channel.writeAndFlush(file());
    assertThat(head.cause()).hasMessage("made to fail");
    assertThat(file.cause()).hasMessage("made to fail");
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  /** As of a void promise for whose substitute there is no Java heap. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPieceWhosePromiseCannotBeHadIsReleased(boolean last) {
    fixture.request("zstd");
    byte[] text = Texts.json(300_000, 1);
    fixture.channel.write(fixture.head(JSON));
    fixture.channel.write(fixture.content(text, 0, 1_000));
    ChannelPromise promise =
        new DefaultChannelPromise(fixture.channel) {
          @Override
          public ChannelPromise unvoid() {
            throw new OutOfMemoryError("made to fail");
          }
        };
    ByteBuf bytes = fixture.allocator().directBuffer(text.length).writeBytes(text);
    HttpContent piece = last ? new DefaultLastHttpContent(bytes) : new DefaultHttpContent(bytes);
    assertThat(fixture.channel.writeAndFlush(piece, promise).cause())
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(fixture.channel.isOpen()).isFalse();
    assertThat(bytes.refCnt()).isZero();
  }

  /** Its receiver has to undo it, and must be told (RFC 9112, section 6.1). */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aTransferCodingOfTheApplicationStaysNamed(boolean whole) {
    fixture.request("zstd");
    byte[] text = Texts.json(6_000, 1);
    HttpResponse head = whole ? fixture.whole(text, JSON) : fixture.head(JSON);
    head.headers().remove(HttpHeaderNames.CONTENT_LENGTH);
    head.headers().set(HttpHeaderNames.TRANSFER_ENCODING, "gzip, chunked");
    fixture.channel.writeAndFlush(head);
    if (!whole) {
      fixture.channel.write(fixture.content(text, 0, text.length));
      fixture.channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
    }
    Written written = fixture.written();
    assertThat(written.header(HttpHeaderNames.TRANSFER_ENCODING)).isEqualTo("gzip, chunked");
    assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING)).isNull();
    assertThat(written.content()).isEqualTo(text);
  }

  @Test
  void anEmptyPieceSaysNothingOfAContent() {
    byte[] noise = Texts.noise(50_000, 1);
    byte[] shortText = Texts.json(20, 1);
    for (byte[] content : List.of(noise, shortText)) {
      fixture.request("zstd");
      fixture.channel.write(fixture.head(JSON));
      ChannelFuture empty = fixture.channel.write(new DefaultHttpContent(Unpooled.EMPTY_BUFFER));
      fixture.channel.writeAndFlush(
          new DefaultLastHttpContent(
              fixture.allocator().directBuffer(content.length).writeBytes(content)));
      Written written = fixture.written();
      assertThat(empty.isSuccess()).isTrue();
      assertThat(written.content()).isEqualTo(content);
      assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING)).isNull();
    }
  }
}
