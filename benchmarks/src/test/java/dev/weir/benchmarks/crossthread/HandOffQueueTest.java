package dev.weir.benchmarks.crossthread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HandOffQueueTest {

  @Test
  void isFirstInFirstOutAndBounded() {
    HandOffQueue queue = new HandOffQueue(2);
    assertThat(queue.poll()).isNull();
    assertThat(queue.offer("a")).isTrue();
    assertThat(queue.offer("b")).isTrue();
    assertThat(queue.offer("c")).isFalse();
    assertThat(queue.isDrained()).isFalse();
    assertThat(queue.poll()).isEqualTo("a");
    assertThat(queue.offer("c")).isTrue();
    assertThat(queue.poll()).isEqualTo("b");
    assertThat(queue.poll()).isEqualTo("c");
    assertThat(queue.poll()).isNull();
    assertThat(queue.isDrained()).isTrue();
  }

  @Test
  void handsEverythingFromOneThreadToAnother() throws InterruptedException {
    int count = 100_000;
    HandOffQueue queue = new HandOffQueue(64);
    Thread producer =
        Thread.ofPlatform()
            .start(() -> {
              for (int i = 0; i < count; i++) {
                while (!queue.offer(i)) {
                  Thread.onSpinWait();
                }
              }
            });
    List<Object> taken = new ArrayList<>();
    while (taken.size() < count) {
      Object element = queue.poll();
      if (element != null) {
        taken.add(element);
      }
    }
    producer.join();
    assertThat(taken).isEqualTo(IntStream.range(0, count).boxed().toList());
  }
}
