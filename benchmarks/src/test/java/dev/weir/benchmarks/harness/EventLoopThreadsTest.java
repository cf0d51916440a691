package dev.weir.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.ExecutorService;
import org.junit.jupiter.api.Test;

class EventLoopThreadsTest {

  @Test
  void areThreadsForWhichAllocatorsKeepCaches() throws Exception {
    try (ExecutorService threads = new EventLoopThreads(1, "bench")) {
      boolean cachesAreCleaned =
          threads.submit(FastThreadLocalThread::currentThreadWillCleanupFastThreadLocals).get();
      assertThat(cachesAreCleaned).isTrue();
    }
  }
}
