package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.server.console.Console;
import dev.weir.streams.AppendOutcome;
import dev.weir.streams.AppendRequest;
import dev.weir.streams.CreateRequest;
import dev.weir.streams.LocalDisk;
import dev.weir.streams.Payload;
import dev.weir.streams.StreamStore;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A reader waits on a loop that has ended. */
class UntoldReadersTest {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"long-poll", "sse"})
  void theAppendGoesOn(String live) throws IOException {
    HttpRequest request =
        new DefaultHttpRequest(
            HttpVersion.HTTP_1_1, HttpMethod.GET, "/v1/stream/a?offset=now&live=" + live);
    UnreachableLoop loop =
        new UnreachableLoop(UnreachableLoopTest.REFUSAL, UnpooledByteBufAllocator.DEFAULT, request);
    try (StreamStore store = StreamStore.open(directory, new LocalDisk(), () -> 0);
        Pool pool = Pool.create(PoolOptions.withLimit(4 << 20));
        Console console = UnreachableLoopTest.console(pool)) {
      store.create(CreateRequest.of("a", "text/plain"), new Payload.None()).join();
      ReadHandler reader =
          new ReadHandler(UnreachableLoopTest.services(store, console, Runnable::run), "a");
      reader.start(loop.exchange());
      assertThat(loop.refused).isEmpty();
      AppendOutcome outcome =
          store
              .append(
                  new AppendRequest("a", "text/plain", false, null, null),
                  new Payload.Inline(ByteBuffer.wrap(new byte[3]), () -> {}))
              .join();
      assertThat(outcome).isEqualTo(new AppendOutcome.Appended(3, false));
      assertThat(loop.refused).as("the news").hasSize(1);
      reader.close();
    }
  }
}
