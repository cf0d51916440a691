package dev.weir.netty.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.netty.WeirAllocator;
import io.netty.channel.DefaultEventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who has a place in an allocator, and that places come free. */
class ThreadPlacesTest {
  private static final int PLACES = 4;

  private final WeirAllocator allocator = WeirAllocator.withLimit(64L << 20);
  private final Pool pool = allocator.pool();
  private final ThreadKnowingAllocator places = allocator;
  private final List<DefaultEventLoop> loops = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    while (!loops.isEmpty()) {
      endOne();
    }
    allocator.close();
  }

  @Test
  void anEventLoopLeavesItsPlaceToOneThatHadNone() throws Exception {
    for (int i = 0; i < PLACES; i++) {
      add();
      assertThat(places.knownLoops()).isEqualTo(i + 1);
    }
    DefaultEventLoop fifth = add();
    assertThat(places.knownLoops()).isEqualTo(PLACES);
    endOne();
    assertThat(places.knownLoops()).isEqualTo(PLACES - 1);
    use(fifth);
    assertThat(places.knownLoops()).isEqualTo(PLACES);
  }

  @Test
  void anEventLoopThatGivesItsHeapUpLeavesItsPlaceUntilItsNextBuffer() throws Exception {
    DefaultEventLoop loop = add();
    loop.submit(places::closeCurrentHeap).sync();
    assertThat(places.knownLoops()).isZero();
    use(loop);
    assertThat(places.knownLoops()).isEqualTo(1);
  }

  @Test
  void plainThreadsTakeThePlacesOfThoseThatHaveEnded() throws Exception {
    for (int i = 0; i < 2 * PLACES; i++) {
      FutureTask<Void> use =
          new FutureTask<>(() -> {
            while (places.stripe() == null) { // The purger may take the stripe over.
              allocator.trim();
              for (int buffer = 0; buffer < 2_000; buffer++) {
                allocator.directBuffer(100).release();
              }
            }
            return null;
          });
      Thread thread = new Thread(use);
      thread.start();
      use.get();
      thread.join();
    }
    pool.checkInvariants();
  }

  private DefaultEventLoop add() throws InterruptedException {
    DefaultEventLoop loop = new DefaultEventLoop();
    loops.add(loop);
    use(loop);
    return loop;
  }

  private void use(DefaultEventLoop loop) throws InterruptedException {
    loop.submit(() -> allocator.directBuffer(100).release()).sync();
  }

  private void endOne() throws InterruptedException {
    loops.removeFirst().shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }
}
