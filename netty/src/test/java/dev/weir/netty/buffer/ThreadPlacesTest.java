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
  private static final int PLACES = 64;
  private static final int LOOPS = 16;

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

  /** Ids of threads that are made in a row are in a row: no two have the same place. */
  @Test
  void sixteenEventLoopsHaveAPlaceEach() throws Exception {
    for (int i = 0; i < LOOPS; i++) {
      add();
      assertThat(places.knownLoops()).isEqualTo(i + 1);
    }
    endOne();
    assertThat(places.knownLoops()).isEqualTo(LOOPS - 1);
  }

  @Test
  void anEventLoopWhosePlaceAnotherHasGetsItWhenThatEnds() throws Exception {
    DefaultEventLoop first = add();
    long wanted = idOf(first) % PLACES;
    DefaultEventLoop second = new DefaultEventLoop();
    while (idOf(second) % PLACES != wanted) {
      second.shutdownGracefully(0, 0, TimeUnit.SECONDS);
      second = new DefaultEventLoop();
    }
    loops.add(second);
    use(second);
    assertThat(places.knownLoops()).as("the first one has it").isEqualTo(1);

    endOne();
    assertThat(places.knownLoops()).isZero();
    use(second);
    assertThat(places.knownLoops()).isEqualTo(1);
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
    for (int i = 0; i < 8; i++) {
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

  private static long idOf(DefaultEventLoop loop) throws Exception {
    return loop.submit(() -> Thread.currentThread().threadId()).get();
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
