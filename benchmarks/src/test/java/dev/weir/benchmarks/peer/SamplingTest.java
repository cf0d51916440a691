package dev.weir.benchmarks.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.benchmarks.harness.EventLoopThreads;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** At Netty's default level all peers pay for the same share of tracked buffers. */
class SamplingTest {
  private static final int BUFFERS = 128 * 1_000;

  private final Level before = ResourceLeakDetector.getLevel();

  @BeforeEach
  void nettysDefault() {
    ResourceLeakDetector.setLevel(Level.SIMPLE);
  }

  @AfterEach
  void restore() {
    ResourceLeakDetector.setLevel(before);
  }

  static Stream<Peer> trackedPeers() {
    return Arrays.stream(Peer.values()).filter(Peer::isTracked);
  }

  @ParameterizedTest
  @MethodSource("trackedPeers")
  void oneIn128IsTrackedByEveryPeer(Peer peer) throws Exception {
    try (ExecutorService loop = new EventLoopThreads(1, "bench");
        ExecutorService plain = Executors.newSingleThreadExecutor()) {
      for (ExecutorService thread : new ExecutorService[] {loop, plain}) {
        int tracked = thread.submit(() -> tracked(peer.allocator())).get();
        // 1,000 expected; random draws are within 160 of it but for once in a million times.
        assertThat(tracked).isBetween(840, 1_160);
      }
    }
  }

  private static int tracked(ByteBufAllocator allocator) {
    int tracked = 0;
    for (int i = 0; i < BUFFERS; i++) {
      ByteBuf buffer = allocator.directBuffer(256);
      // Tracked buffers are of a class of their own: SimpleLeakAwareByteBuf, LeakTrackedByteBuf.
      tracked += buffer.getClass().getSimpleName().contains("Leak") ? 1 : 0;
      buffer.release();
    }
    return tracked;
  }
}
