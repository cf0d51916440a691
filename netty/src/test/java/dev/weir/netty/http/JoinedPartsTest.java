package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JoinedPartsTest {
  private static final int MAXIMUM_BYTES = 100_000;

  @TempDir private Path folder;
  private final ArrayDeque<HttpObject> following = new ArrayDeque<>();
  private SpilledBody body;

  @BeforeEach
  void begin() throws Exception {
    Spill spill = new Spill(folder, MAXIMUM_BYTES, 1, Duration.ofHours(1));
    body =
        SpilledBody.of(spill, UnpooledByteBufAllocator.DEFAULT, SpilledBody.UNKNOWN, MAXIMUM_BYTES);
  }

  @AfterEach
  void release() {
    body.release();
  }

  private static HttpContent part(String text) {
    return new DefaultHttpContent(Unpooled.copiedBuffer(text, US_ASCII));
  }

  private static HttpContent end(String text) {
    return new DefaultLastHttpContent(Unpooled.copiedBuffer(text, US_ASCII));
  }

  /** Joins, and gives what it has come to. */
  private String join(HttpContent first, boolean ended) {
    JoinedParts joined = JoinedParts.of(first, following, body);
    assertThat(joined.last() != null).isEqualTo(ended);
    String text = joined.bytes().toString(US_ASCII);
    joined.bytes().release();
    assertThat(first.refCnt()).isEqualTo(1);
    first.release();
    return text;
  }

  @Test
  void whatHasComeTogetherIsWrittenTogether() {
    List<HttpContent> parts = List.of(part("b"), part(""), part("c"), end("d"));
    following.addAll(parts);
    HttpContent next = part("of the next request");
    following.add(next);
    assertThat(join(part("a"), /* ended= */ true)).isEqualTo("abcd");
    assertThat(following).containsExactly(next);
    assertThat(parts).allMatch(part -> part.refCnt() == 0);
    next.release();
  }

  @Test
  void onePartIsNotCopied() {
    HttpContent only = part("a");
    JoinedParts joined = JoinedParts.of(only, following, body);
    assertThat(joined.bytes()).isSameAs(only.content());
    assertThat(joined.last()).isNull();
    assertThat(only.refCnt()).isEqualTo(2);
    only.release(2);
  }

  @Test
  void requestsAndNonsenseStayInTheirPlaces() {
    HttpContent broken = part("x");
    broken.setDecoderResult(DecoderResult.failure(new IllegalStateException("made to fail")));
    var request =
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_1, HttpMethod.GET, "/", Unpooled.copiedBuffer("y", US_ASCII));
    for (HttpObject other : new HttpObject[] {broken, request}) {
      following.add(part("b"));
      following.add(other);
      assertThat(join(part("a"), /* ended= */ false)).isEqualTo("ab");
      assertThat(following).containsExactly(other);
      following.clear();
    }
    broken.release();
    request.release();
  }

  @Test
  void noMoreThanThereIsRoomForAndThanOneReadBrings() {
    for (int i = 0; i < 3; i++) {
      following.add(part("x".repeat(30_000)));
    }
    assertThat(join(part("a"), /* ended= */ false)).hasSize(60_001);
    assertThat(following).hasSize(1);
    HttpObject second = part("x".repeat(MAXIMUM_BYTES));
    following.add(second);
    assertThat(join((HttpContent) following.remove(), /* ended= */ false)).hasSize(30_000);
    assertThat(following).containsExactly(second);
    ((HttpContent) second).release();
  }
}
