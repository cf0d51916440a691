package dev.weir.lab.gateway;

import dev.weir.lab.scenario.Waiting;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Clients that ask one after the other, some of whom vanish. Used by one thread. */
final class GatewayLoad {
  private static final int LIGHT_PAUSE_MILLIS = 50;

  private final int port;
  private final GatewayPlan plan;
  private final AtomicLong answered = new AtomicLong();
  private final AtomicLong vanished = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();

  GatewayLoad(int port, GatewayPlan plan) {
    this.port = port;
    this.plan = plan;
  }

  /** All clients, as fast as they are answered. */
  void full() throws IOException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(plan.loadMillis());
    CountDownLatch ended = new CountDownLatch(plan.clients());
    for (int i = 0; i < plan.clients(); i++) {
      Thread.startVirtualThread(() -> {
        while (System.nanoTime() < deadline) {
          connection(deadline);
        }
        ended.countDown();
      });
    }
    try {
      ended.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", interrupted);
    }
  }

  private void connection(long deadline) {
    try (GatewayClient client = new GatewayClient(port)) {
      for (int i = 1; i < plan.vanishEvery() && System.nanoTime() < deadline; i++) {
        client.ask();
        answered.incrementAndGet();
      }
      client.askAndVanish();
      vanished.incrementAndGet();
    } catch (IOException refused) {
      failed.incrementAndGet();
    }
  }

  /** One client, which takes its time. */
  void light() throws IOException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(plan.lightMillis());
    try (GatewayClient client = new GatewayClient(port)) {
      while (System.nanoTime() < deadline) {
        client.ask();
        answered.incrementAndGet();
        Waiting.millis(LIGHT_PAUSE_MILLIS);
      }
    }
  }

  long answered() {
    return answered.get();
  }

  long vanished() {
    return vanished.get();
  }

  long failed() {
    return failed.get();
  }
}
