package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelHandler;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Handlers that run on their channel's event loop, and nowhere else. */
class OwnLoopTest {
  @Test
  @SuppressWarnings("deprecation") // It is what is refused.
  void handlersAreNotAddedWithAnotherExecutor() throws Exception {
    DefaultEventExecutorGroup elsewhere = new DefaultEventExecutorGroup(1);
    try (ResponseFixture fixture = new ResponseFixture()) {
      List<ChannelHandler> handlers =
          List.of(
              new HttpResponseCompressor(fixture.compression),
              new HttpRequestDecompressor(fixture.compression, RequestOptions.upTo(500)));
      for (ChannelHandler handler : handlers) {
        fixture.channel.pipeline().addLast(elsewhere, handler);
        elsewhere.submit(() -> {}).sync();
        fixture.channel.runPendingTasks();
        assertThatThrownBy(fixture.channel::checkException)
            .hasStackTraceContaining("add it without an EventExecutorGroup");
        assertThat(fixture.channel.pipeline().context(handler)).isNull();
      }
    } finally {
      elsewhere.shutdownGracefully(0, 20, TimeUnit.SECONDS).sync();
    }
  }
}
