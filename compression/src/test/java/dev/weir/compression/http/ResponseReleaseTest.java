package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.RefusingMemory.Refused;
import dev.weir.compression.Texts;
import dev.weir.compression.http.ResponseFixture.Written;
import dev.weir.compression.zstd.EachZstd;
import dev.weir.compression.zstd.ZstdLibrary;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.DefaultFileRegion;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpChunkedInput;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.stream.ChunkedStream;
import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever happens to a response, everything is given back; the fixture looks at its end. */
@ParameterizedClass
@EnumSource(EachZstd.class)
class ResponseReleaseTest {
  private static final String JSON = "application/json";
  private static final byte[] CONTENT = Texts.json(400_000, 1);

  private final ZstdLibrary library;
  private final ResponseFixture fixture;

  ResponseReleaseTest(EachZstd zstd) {
    library = zstd.library();
    fixture = new ResponseFixture(library);
  }

  @AfterEach
  void nothingIsLive() {
    fixture.close();
  }

  private void beginResponse() {
    fixture.request("zstd");
    fixture.channel.write(fixture.head(JSON));
    fixture.channel.write(fixture.content(CONTENT, 0, 200_000));
  }

  @Test
  void theChannelClosesInTheMiddle() {
    beginResponse();
    fixture.channel.close();
    ChannelFuture late = fixture.channel.write(fixture.content(CONTENT, 0, 1_000));
    ChannelFuture more = fixture.channel.writeAndFlush(fixture.whole(CONTENT, JSON));
    fixture.channel.runPendingTasks();
    assertThat(late.isSuccess()).isFalse();
    assertThat(more.isSuccess()).isFalse();
  }

  @Test
  void theChannelClosesWithAHeadHeld() {
    fixture.request("zstd");
    ChannelFuture head = fixture.channel.write(fixture.head(JSON));
    fixture.channel.close();
    fixture.channel.runPendingTasks();
    assertThat(head.isDone()).isTrue();
    assertThat(head.isSuccess()).isFalse();
  }

  @Test
  void theHandlerIsRemovedInTheMiddle() {
    beginResponse();
    fixture.channel.pipeline().remove(HttpResponseCompressor.class);
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  /** What still comes of that would look like the next one. */
  @Test
  void theHandlerIsRemovedBehindAnAnswerInThePlaceOfAResponse() {
    fixture.request("*;q=0");
    fixture.channel.write(fixture.head(JSON));
    fixture.channel.write(fixture.content(CONTENT, 0, 1_000));
    fixture.channel.pipeline().remove(HttpResponseCompressor.class);
    ChannelFuture late = fixture.channel.writeAndFlush(fixture.content(CONTENT, 0, 1_000));
    assertThat(late.isSuccess()).isFalse();
    Written answer = fixture.written();
    assertThat(answer.head().status()).isEqualTo(HttpResponseStatus.NOT_ACCEPTABLE);
    assertThat(answer.content()).isEmpty();
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  @Test
  void theHandlerIsRemovedWithAHeadHeld() {
    fixture.request("zstd");
    fixture.channel.write(fixture.head(JSON));
    fixture.channel.pipeline().remove(HttpResponseCompressor.class);
    fixture.channel.write(fixture.content(CONTENT, 0, 1_000));
    fixture.channel.writeOutbound(LastHttpContent.EMPTY_LAST_CONTENT);
    Written written = fixture.written();
    assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING)).isNull();
    assertThat(written.content()).hasSize(1_000);
  }

  @Test
  void aFileInTheMiddleClosesTheConnection() {
    beginResponse();
    ChannelFuture file = fixture.channel.write(new DefaultFileRegion(new File("/dev/null"), 0, 1));
    assertThat(file.isSuccess()).isFalse();
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  @Test
  void aFileInThePlaceOfContentGoesAsItIs() {
    fixture.request("zstd");
    fixture.channel.write(fixture.head(JSON));
    fixture.channel.write(new DefaultFileRegion(new File("/dev/null"), 0, 1));
    fixture.channel.writeOutbound(LastHttpContent.EMPTY_LAST_CONTENT);
    HttpResponse head = fixture.channel.readOutbound();
    assertThat(head.headers().contains(HttpHeaderNames.CONTENT_ENCODING)).isFalse();
    assertThat(fixture.channel.<Object>readOutbound()).isInstanceOf(DefaultFileRegion.class);
  }

  @Test
  void moreThanTheLengthThatWasToldClosesTheConnection() {
    fixture.request("zstd");
    HttpResponse head = fixture.head(JSON);
    head.headers().set(HttpHeaderNames.CONTENT_LENGTH, 2_000);
    fixture.channel.write(head);
    fixture.channel.write(fixture.content(CONTENT, 0, 200_000));
    ChannelFuture end = fixture.channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
    fixture.channel.runPendingTasks();
    assertThat(end.isSuccess()).isFalse();
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  /** A file, say: closed once it will not be written. */
  private static final class Input extends java.io.InputStream {
    private boolean closed;

    @Override
    public int read() {
      return -1;
    }

    @Override
    public void close() {
      closed = true;
    }

    HttpChunkedInput chunks() {
      return new HttpChunkedInput(new ChunkedStream(this));
    }
  }

  @Test
  void anInputThatIsNotWrittenIsClosed() {
    fixture.request("identity;q=0, *;q=0");
    fixture.channel.write(fixture.head(JSON));
    Input dropped = new Input();
    fixture.channel.write(dropped.chunks());
    assertThat(dropped.closed).isTrue();
    fixture.channel.write(LastHttpContent.EMPTY_LAST_CONTENT);
    beginResponse();
    Input inTheMiddle = new Input();
    ChannelFuture refused = fixture.channel.write(inTheMiddle.chunks());
    assertThat(refused.isSuccess()).isFalse();
    assertThat(inTheMiddle.closed).isTrue();
  }

  @Test
  void aPredicateThatThrowsClosesTheConnection() {
    ResponseOptions options =
        ResponseOptions.DEFAULT.withCompressible(type -> {
          throw new IllegalStateException("made to fail");
        });
    try (ResponseFixture faulty = new ResponseFixture(library, options, /* output= */ null)) {
      faulty.request("zstd");
      ChannelFuture whole = faulty.channel.write(faulty.whole(CONTENT, JSON));
      assertThat(whole.cause()).hasMessage("made to fail");
      assertThat(faulty.channel.isOpen()).isFalse();
    }
  }

  /** Of whole responses: one that is compressed, varies, is to a HEAD, or not modified. */
  @ParameterizedTest
  @CsvSource({"zstd, GET, 200", "identity, GET, 200", "zstd, HEAD, 200", "zstd, GET, 304"})
  void aHeadThatCannotBeCopiedClosesTheConnection(String accept, String method, int status) {
    fixture.request(HttpMethod.valueOf(method), HttpVersion.HTTP_1_1, accept);
    HttpHeaders headers =
        new DefaultHttpHeaders() {
          @Override
          public HttpHeaders copy() {
            throw new OutOfMemoryError("made to fail");
          }

          @Override
          public Iterator<Map.Entry<CharSequence, CharSequence>> iteratorCharSequence() {
            throw new OutOfMemoryError("made to fail");
          }
        };
    headers.set(HttpHeaderNames.CONTENT_TYPE, JSON);
    ChannelFuture response =
        fixture.channel.write(
            new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(status),
                fixture.content(CONTENT, 0, CONTENT.length).content(),
                headers,
                new DefaultHttpHeaders()));
    assertThat(response.cause()).hasMessage("made to fail");
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  /** The outcome of each write, in their order. */
  private static List<ChannelFuture> respond(ResponseFixture fixture, boolean whole) {
    List<ChannelFuture> writes = new ArrayList<>();
    if (whole) {
      writes.add(fixture.channel.writeAndFlush(fixture.whole(CONTENT, JSON)));
    } else {
      writes.add(fixture.channel.write(fixture.head(JSON)));
      writes.add(fixture.channel.write(fixture.content(CONTENT, 0, 200_000)));
      fixture.channel.flush();
      writes.add(fixture.channel.write(fixture.content(CONTENT, 200_000, 200_000)));
      writes.add(fixture.channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT));
    }
    fixture.channel.runPendingTasks();
    return writes;
  }

  private static void assertSentAsItIs(ResponseFixture fixture, boolean whole) {
    fixture.request("zstd");
    respond(fixture, whole);
    Written written = fixture.written();
    assertThat(fixture.channel.isOpen()).isTrue();
    assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING)).isNull();
    assertThat(written.content()).isEqualTo(CONTENT);
    assertThat(written.ended()).isTrue();
    fixture.compression.destroyIdle(Long.MAX_VALUE);
    assertThat(fixture.memory.budget.chargedBytes()).as("charged for contexts").isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void withoutAnAllocatorAResponseGoesAsItIs(boolean whole) {
    Supplier<ByteBufAllocator> none =
        () -> {
          throw new IllegalStateException("made to fail");
        };
    try (ResponseFixture faulty = new ResponseFixture(library, ResponseOptions.DEFAULT, none)) {
      assertSentAsItIs(faulty, whole);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatCannotBeBegunToCompressGoesAsItIs(boolean whole) {
    fixture.compression.close();
    assertSentAsItIs(fixture, whole);
  }

  private static Stream<Arguments> everyResponseWith(Refused refused) {
    return Stream.of("zstd", "gzip", "br")
        .flatMap(
            coding -> Stream.of(true, false).map(whole -> Arguments.of(coding, whole, refused)));
  }

  static Stream<Arguments> responsesWithRefusals() {
    return Arrays.stream(Refused.values()).flatMap(ResponseReleaseTest::everyResponseWith);
  }

  /**
   * Each allocation of a response fails in turn, alone or with all that follow, until none is left
   * to fail. One that has not begun goes as it is; what has begun goes on in less room, and where
   * there is none the connection ends, with its reason and before the response does.
   */
  @ParameterizedTest
  @MethodSource("responsesWithRefusals")
  void everyAllocationFailsInTurn(String coding, boolean whole, Refused refused) {
    boolean cutOff = false;
    ResponseOptions inShortBuffers = ResponseOptions.DEFAULT.withChunkBytes(8 << 10);
    for (int before = 0; ; before++) {
      try (ResponseFixture faulty =
          new ResponseFixture(library, inShortBuffers, /* output= */ null)) {
        FailingAllocator allocator = new FailingAllocator(faulty.memory.allocator, refused, before);
        faulty.channel.config().setAllocator(allocator);
        faulty.request(coding);
        List<ChannelFuture> writes = respond(faulty, whole);
        Written written = faulty.written();
        if (faulty.channel.isOpen()) {
          assertThat(writes).allMatch(ChannelFuture::isSuccess);
          assertThat(written.ended()).isTrue();
          assertThat(faulty.decoded(written)).isEqualTo(CONTENT);
        } else {
          cutOff = true;
          assertThat(written.ended()).as("the end of a response with a hole").isFalse();
          assertThat(writes.getLast().isSuccess()).isFalse();
          assertThat(told(faulty, writes)).containsExactly(FailingAllocator.MESSAGE);
        }
        if (!allocator.hasFailed()) {
          assertThat(before).isGreaterThan(2);
          assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING)).isEqualTo(coding);
          break;
        }
      }
    }
    assertThat(cutOff).isEqualTo(!whole && refused == Refused.ALL_FROM);
  }

  /** What the application hears of memory, by its writes or, where none is under way, otherwise. */
  private static List<String> told(ResponseFixture fixture, List<ChannelFuture> writes) {
    List<String> told = new ArrayList<>();
    for (ChannelFuture write : writes) {
      if (write.cause() instanceof OutOfMemoryError refused) {
        told.add(refused.getMessage());
      }
    }
    try {
      fixture.channel.checkException();
    } catch (OutOfMemoryError refused) {
      told.add(refused.getMessage());
    }
    return told;
  }

  /** The same with the context: the response goes as it is. */
  @Test
  void theContextIsRefused() {
    fixture.memory.budget.setLimitBytes(1);
    beginResponse();
    fixture.channel.writeOutbound(LastHttpContent.EMPTY_LAST_CONTENT);
    Written written = fixture.written();
    assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING)).isNull();
    assertThat(written.content()).hasSize(200_000);
  }
}
