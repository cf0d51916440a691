package dev.weir.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.internal.ThreadExecutorMap;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class EventLoopThreadsTest {

  @Test
  void areThreadsForWhichEveryAllocatorKeepsCaches() throws Exception {
    try (ExecutorService threads = new EventLoopThreads(1, "bench")) {
      boolean cachesAreCleaned =
          threads.submit(FastThreadLocalThread::currentThreadWillCleanupFastThreadLocals).get();
      assertThat(cachesAreCleaned).isTrue();
      boolean isLoop = threads.submit(() -> ThreadExecutorMap.currentExecutor() != null).get();
      assertThat(isLoop).isTrue();
    }
    Set<Boolean> isLoop = ConcurrentHashMap.newKeySet();
    ThreadKind.EVENT_LOOP
        .start(() -> isLoop.add(ThreadExecutorMap.currentExecutor() != null))
        .get();
    assertThat(isLoop).containsExactly(true);
  }

  @Test
  void eachTakesOneTaskOfEveryIteration() throws Exception {
    try (ExecutorService threads = new EventLoopThreads(3, "bench")) {
      for (int iteration = 0; iteration < 4; iteration++) {
        List<Future<Thread>> tasks = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          tasks.add(threads.submit(Thread::currentThread));
        }
        Set<Thread> used = new HashSet<>();
        for (Future<Thread> task : tasks) {
          used.add(task.get());
        }
        assertThat(used).hasSize(3);
      }
    }
  }
}
