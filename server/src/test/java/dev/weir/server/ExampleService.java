package dev.weir.server;

import dev.weir.memory.budget.Budget;
import dev.weir.netty.WeirAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * A service with some features that share a pool, each with its budget and its code, one of which
 * loses buffers. For tests of what the console shows of it. Not thread-safe.
 */
final class ExampleService implements AutoCloseable {
  private final EventLoop loop = new DefaultEventLoop();

  /** Whose samples are not made rarer by the bursts of the others. */
  private final EventLoop leakingLoop = new DefaultEventLoop();

  private final Random random;
  private final List<Feature> features;
  private final AuditLog audit;

  ExampleService(WeirAllocator allocator, long seed) {
    random = new Random(seed);
    Budget root = allocator.pool().rootBudget();
    Budget imports = root.child("imports", 24 << 20);
    Budget replies = root.child("replies", 16 << 20);
    audit = new AuditLog(allocator.charging(root.child("audit", 12 << 20)));
    List<Feature> all = new ArrayList<>();
    IntStream.rangeClosed(1, 4)
        .mapToObj(i -> imports.child("object " + i, 8 << 20))
        .forEach(object -> all.add(new Imports(allocator.charging(object))));
    all.add(new Replies(allocator.charging(replies)));
    all.add(new ReplyCache(allocator.charging(replies.child("cache", 8 << 20))));
    all.add(new Sessions(allocator.charging(root.child("sessions", 8 << 20))));
    features = List.copyOf(all);
  }

  /** Buffers come and go in all features; returns when they have. */
  void work(int buffers) {
    loop.submit(
            () -> {
              for (int i = 0; i < buffers; i++) {
                features.get(random.nextInt(features.size())).serve(random);
              }
            })
        .syncUninterruptibly();
  }

  /** Loses so many buffers of 16 KiB. */
  void leak(int buffers) {
    leakingLoop
        .submit(() -> {
          for (int i = 0; i < buffers; i++) {
            audit.append(16 << 10);
          }
        })
        .syncUninterruptibly();
  }

  @Override
  public void close() {
    features.forEach(Feature::close);
    audit.lost.forEach(ByteBuf::release);
    for (EventLoop each : List.of(loop, leakingLoop)) {
      each.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  /** Something that holds buffers for a while. */
  private abstract static class Feature {
    private static final int MAX_HELD = 600;

    final ByteBufAllocator allocator;
    private final List<ByteBuf> held = new ArrayList<>();

    Feature(ByteBufAllocator allocator) {
      this.allocator = allocator;
    }

    abstract void serve(Random random);

    /** Keeps a buffer instead of another one, or of several. */
    final void keep(ByteBuf buffer, Random random) {
      held.add(buffer);
      while (held.size() > MAX_HELD || (held.size() > 1 && random.nextInt(4) == 0)) {
        held.remove(random.nextInt(held.size())).release();
      }
    }

    final void close() {
      held.forEach(ByteBuf::release);
    }
  }

  private static final class Imports extends Feature {
    Imports(ByteBufAllocator allocator) {
      super(allocator);
    }

    @Override
    void serve(Random random) {
      if (random.nextInt(3) == 0) {
        readBody(random);
      } else {
        readHeaders(random);
      }
    }

    private void readBody(Random random) {
      keep(allocator.directBuffer((1 << 10) + random.nextInt(12 << 10)), random);
    }

    private void readHeaders(Random random) {
      keep(allocator.directBuffer(200 + random.nextInt(800)), random);
    }
  }

  private static final class Replies extends Feature {
    Replies(ByteBufAllocator allocator) {
      super(allocator);
    }

    @Override
    void serve(Random random) {
      compress(render(random), random);
    }

    private ByteBuf render(Random random) {
      return allocator.directBuffer(500 + random.nextInt(4_000));
    }

    private void compress(ByteBuf page, Random random) {
      keep(allocator.directBuffer(100 + page.capacity() / 2), random);
      page.release();
    }
  }

  private static final class ReplyCache extends Feature {
    ReplyCache(ByteBufAllocator allocator) {
      super(allocator);
    }

    @Override
    void serve(Random random) {
      keep(allocator.directBuffer(2_000 + random.nextInt(6_000)), random);
    }
  }

  private static final class Sessions extends Feature {
    Sessions(ByteBufAllocator allocator) {
      super(allocator);
    }

    @Override
    void serve(Random random) {
      keep(allocator.directBuffer(64 + random.nextInt(2_000)), random);
    }
  }

  /** Forgets to release what it has written. */
  private static final class AuditLog {
    private final ByteBufAllocator allocator;

    /** For the end of the test only. */
    private final List<ByteBuf> lost = new ArrayList<>();

    AuditLog(ByteBufAllocator allocator) {
      this.allocator = allocator;
    }

    void append(int bytes) {
      lost.add(allocator.directBuffer(bytes));
    }
  }
}
