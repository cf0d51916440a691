package dev.weir.lab.blindspot;

import dev.weir.lab.child.ParentLines;
import dev.weir.lab.report.Bytes;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.subject.Subject;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.netty.WeirAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The process under test: runs the features on an event loop, and says what there is to say. */
public final class BlindSpotChild {
  static final String TRUTH = "truth";
  static final String ALLOCATOR = "allocator";
  static final String KERNEL = "kernel";

  private static final int STEPS_PER_SECOND = 20;

  private final BlindSpotPlan plan;
  private final Random random = new Random(1);

  private BlindSpotChild(BlindSpotPlan plan) {
    this.plan = plan;
  }

  /** Runs with the label of a {@link Subject} and the numbers of a plan. */
  public static void main(String[] arguments) throws Exception {
    List<String> all = Arrays.asList(arguments);
    BlindSpotChild child = new BlindSpotChild(BlindSpotPlan.of(all.subList(1, all.size())));
    ParentLines parent = new ParentLines();
    parent.endWithParent();
    parent.say(JsonLines.line(child.run(Subject.of(all.getFirst()))));
    System.exit(0);
  }

  private Map<String, Object> run(Subject subject)
      throws IOException, InterruptedException, ExecutionException {
    if (subject.isWeir()) {
      Pool pool =
          Pool.create(
              PoolOptions.withLimit(plan.limitBytes())
                  .withName("service")
                  .withProfile(PoolOptions.DEFAULT_BYTES_PER_SAMPLE));
      WeirAllocator allocator = new WeirAllocator(pool);
      return run(
          name -> allocator.charging(pool.rootBudget().child(name, Budget.UNLIMITED)),
          new WeirWitness(pool, Duration.ofSeconds(plan.leakAgeSeconds())));
    }
    ByteBufAllocator allocator = subject.create(plan.limitBytes(), plan.limitBytes()).allocator();
    return run(name -> allocator, new NettyWitness(allocator));
  }

  private Map<String, Object> run(Function<String, ByteBufAllocator> allocators, Witness witness)
      throws IOException, InterruptedException, ExecutionException {
    List<Feature> features =
        List.of(
            new Requests(allocators.apply("requests")),
            new ReplyCache(allocators.apply("cache")),
            new UploadBurst(allocators.apply("uploads")),
            new AuditTrail(allocators.apply("audit"), plan.leakedBytesPerSecond()));
    EventLoop loop = new DefaultEventLoop();
    int[] steps = new int[1];
    Future<?> work =
        loop.scheduleAtFixedRate(
            () -> {
              features.forEach(feature -> feature.step(steps[0], random));
              steps[0]++;
              witness.look();
            },
            0,
            1000 / STEPS_PER_SECOND,
            TimeUnit.MILLISECONDS);
    if (work.await(plan.seconds(), TimeUnit.SECONDS)) {
      throw new ExecutionException("the load has ended early", work.cause());
    }
    return loop.submit(() -> report(features, witness)).get();
  }

  private static Map<String, Object> report(List<Feature> features, Witness witness)
      throws IOException {
    long bytes = features.stream().mapToLong(Feature::heldBytes).sum();
    Map<String, Object> report = new LinkedHashMap<>();
    report.put(
        TRUTH,
        List.of(
            "%s MiB of buffers: %s"
                .formatted(
                    Bytes.mib(bytes),
                    features.stream()
                        .map(feature -> feature.name() + " " + Bytes.mib(feature.heldBytes()))
                        .collect(Collectors.joining(", ")))));
    report.put(ALLOCATOR, witness.allocatorSays());
    report.put(KERNEL, List.of(witness.kernelSays()));
    return report;
  }
}
