package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Behind a body that ends with its connection, and has not been sent, others are written. */
class ResponseTrackerTest {
  private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
  private final ResponseTracker answers = new ResponseTracker();

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  @Test
  void responsesBehindABodyThatEndsWithItsConnectionAreMoreOfThatBody() {
    PartPromise first = answer(HttpMethod.GET, whole(HttpResponseStatus.OK));
    PartPromise second = answer(HttpMethod.GET, delimited(HttpResponseStatus.OK));
    assertThat(answers.endWithChannel()).isTrue();
    assertThat(answers.seemWhole()).isTrue();

    first.setSuccess();
    second.setSuccess();
    answers.sent();
    answer(HttpMethod.GET, delimited(HttpResponseStatus.OK));
    assertThat(answers.endWithChannel()).isFalse();
  }

  @Test
  void theLastResponseBehindSuchABodyLeavesHttp() {
    answer(HttpMethod.GET, whole(HttpResponseStatus.OK));
    answer(HttpMethod.CONNECT, delimited(HttpResponseStatus.FORBIDDEN));
    assertThat(answers.leaveHttp()).isFalse();
    answer(HttpMethod.GET, whole(HttpResponseStatus.SWITCHING_PROTOCOLS));
    assertThat(answers.leaveHttp()).isTrue();
  }

  private PartPromise answer(HttpMethod method, HttpResponse response) {
    answers.asked(method);
    answers.writing(response);
    ChannelHandlerContext ctx = channel.pipeline().lastContext();
    PartPromise part = new PartPromise(ctx, ctx.newPromise(), new NobodyWatches());
    answers.sending(part);
    part.written(/* isSeenTo= */ false);
    return part;
  }

  private static HttpResponse whole(HttpResponseStatus status) {
    return new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status);
  }

  private static HttpResponse delimited(HttpResponseStatus status) {
    HttpResponse response = whole(status);
    response.headers().set(HttpHeaderNames.CONTENT_LENGTH, 0);
    return response;
  }

  private static final class NobodyWatches implements PartPromise.Watcher {
    @Override
    public void failing() {}

    @Override
    public void done(PartPromise part) {}
  }
}
