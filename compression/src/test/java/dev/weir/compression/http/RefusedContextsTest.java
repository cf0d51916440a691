package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.CompressionOptions;
import dev.weir.compression.ContentCoding;
import dev.weir.compression.RefusingMemory.Refused;
import dev.weir.compression.Texts;
import dev.weir.compression.zstd.EachZstd;
import dev.weir.compression.zstd.ZstdDictionary;
import dev.weir.compression.zstd.ZstdLibrary;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each allocation of native memory that a context is made of is refused in turn: those of the
 * context, of its dictionary, of a larger one for a frame behind the first, and of the block that a
 * header goes through which has come in pieces.
 */
class RefusedContextsTest {
  private static final String JSON = "application/json";
  private static final byte[] CONTENT = Texts.json(400_000, 1);
  private static final byte[] SHORT = Texts.json(1_000, 2);
  private static final int SPLIT_BYTES = 3;
  private static final ZstdDictionary DICTIONARY = ZstdDictionary.of(Texts.dictionary(1_000));

  /** What is compressed, by what, and how its memory is refused. */
  record Case(ContentCoding coding, EachZstd zstd, boolean withDictionary, Refused refused) {
    ZstdLibrary library() {
      return zstd.library();
    }

    CompressionOptions options() {
      return withDictionary
          ? CompressionOptions.DEFAULT.withDictionaries(DICTIONARY, DICTIONARY)
          : CompressionOptions.DEFAULT;
    }

    /** So many allocations a context takes; a dictionary of the system's zstd takes two more. */
    int allocations() {
      return coding == ContentCoding.ZSTD && zstd == EachZstd.SYSTEM && withDictionary ? 3 : 1;
    }
  }

  private static Stream<Case> cases() {
    Stream<Case> zstd =
        Arrays.stream(EachZstd.values())
            .flatMap(library ->
                Stream.of(true, false)
                    .flatMap(withDictionary -> both(ContentCoding.ZSTD, library, withDictionary)));
    Stream<Case> others =
        Stream.of(ContentCoding.GZIP, ContentCoding.BROTLI)
            .flatMap(coding -> both(coding, EachZstd.JNI, /* withDictionary= */ false));
    return Stream.concat(zstd, others);
  }

  private static Stream<Case> both(ContentCoding coding, EachZstd zstd, boolean withDictionary) {
    return Arrays.stream(Refused.values())
        .map(refused -> new Case(coding, zstd, withDictionary, refused));
  }

  private static Stream<Arguments> responses() {
    return cases().flatMap(each -> Stream.of(Arguments.of(each, true), Arguments.of(each, false)));
  }

  /** Without a context it goes as it is, or not at all where the client takes no other. */
  @ParameterizedTest
  @MethodSource("responses")
  void aResponseIsAnsweredAllTheSame(Case with, boolean required) {
    int refusals;
    for (int before = 0; ; before++) {
      try (ResponseFixture fixture =
          new ResponseFixture(
              with.library(), with.options(), ResponseOptions.DEFAULT, /* output= */ null)) {
        fixture.memory.contexts.refuse(with.refused(), before);
        fixture.request(with.coding().token() + (required ? ", identity;q=0" : ""));
        fixture.channel.write(fixture.head(JSON));
        fixture.channel.write(fixture.content(CONTENT, 0, 200_000));
        fixture.channel.flush();
        fixture.channel.write(fixture.content(CONTENT, 200_000, 200_000));
        fixture.channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
        ResponseFixture.Written written = fixture.written();
        refusals = fixture.memory.contexts.refusals();
        fixture.memory.contexts.refuse(Refused.ONE, Integer.MAX_VALUE);
        boolean none = with.refused() == Refused.ALL_FROM && before < with.allocations();
        assertThat(written.ended()).isTrue();
        if (none && required) {
          assertThat(written.head().status()).isEqualTo(HttpResponseStatus.SERVICE_UNAVAILABLE);
        } else {
          assertThat(written.head().status()).isEqualTo(HttpResponseStatus.OK);
          assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING))
              .isEqualTo(none ? null : with.coding().token());
          assertThat(fixture.decoded(written)).isEqualTo(CONTENT);
        }
      }
      if (refusals == 0) {
        assertThat(before).isEqualTo(with.allocations());
        return;
      }
    }
  }

  /** The client is told to come again: it gets that, or its request arrives whole. */
  @ParameterizedTest
  @MethodSource("cases")
  void aRequestIsTakenWholeOrRefused(Case with) {
    boolean severalFrames = with.coding() != ContentCoding.BROTLI;
    for (int before = 0; ; before++) {
      try (RequestFixture fixture =
          new RequestFixture(with.library(), with.options(), RequestOptions.upTo(1 << 20))) {
        byte[] first = severalFrames ? fixture.encode(with.coding(), SHORT) : new byte[0];
        int length = CONTENT.length + (severalFrames ? SHORT.length : 0);
        byte[] second = fixture.encode(with.coding(), CONTENT);
        fixture.compression.destroyIdle(Long.MAX_VALUE);
        fixture.memory.contexts.refuse(with.refused(), before);
        fixture.head(with.coding().token());
        sendWithSplitHeader(fixture, first);
        sendWithSplitHeader(fixture, second);
        fixture.end();
        RequestFixture.Got got = fixture.got();
        int status = fixture.answer();
        if (fixture.memory.contexts.refusals() == 0) {
          assertThat(got.content()).hasSize(length);
          assertThat(before).isEqualTo(allocationsOfRequest(with));
          return;
        }
        // One that is refused while another rests is asked for again in the place of that.
        boolean whole = status == 0 && with.refused() == Refused.ONE;
        assertThat(got.ended()).isEqualTo(whole);
        assertThat(status).isEqualTo(whole ? 0 : 503);
        assertThat(got.content().length == length).isEqualTo(whole);
      }
    }
  }

  private static int allocationsOfRequest(Case with) {
    return with.coding() == ContentCoding.ZSTD ? 2 * with.allocations() + 2 : with.allocations();
  }

  private static void sendWithSplitHeader(RequestFixture fixture, byte[] stream) {
    if (stream.length > 0) {
      fixture.content(stream, 0, SPLIT_BYTES);
      fixture.content(stream, SPLIT_BYTES, stream.length - SPLIT_BYTES);
    }
  }
}
