package dev.weir.lab.gateway;

import dev.weir.lab.child.ChildJvm;
import dev.weir.lab.child.ServiceFlags;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.report.LabReport;
import dev.weir.lab.scenario.LabRow;
import dev.weir.lab.scenario.ProcessWatch;
import dev.weir.lab.scenario.Waiting;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Measures one gateway through load, light load and none. Used by one thread. */
final class GatewayRow implements LabRow.Body {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int STEPS = 3;

  private final GatewayCoder coder;
  private final Malloc malloc;
  private final GatewayPlan plan;

  GatewayRow(GatewayCoder coder, Malloc malloc, GatewayPlan plan) {
    this.coder = coder;
    this.malloc = malloc;
    this.plan = plan;
  }

  @Override
  public Map<String, @Nullable Object> measure(LabRow.Steps steps) throws IOException {
    List<String> flags =
        ServiceFlags.within(plan.limitBytes(), "-Dio.netty.leakDetection.level=disabled");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), GatewayChild.class.getName()));
    command.addAll(
        List.of(
            coder.label(),
            Integer.toString(plan.contentBytes()),
            Long.toString(plan.limitBytes())));
    try (ChildJvm child = ChildJvm.start(command, malloc.environment())) {
      int port = Integer.parseInt(child.receive(PATIENCE));
      malloc.require(child.pid());
      try (ProcessWatch watch = ProcessWatch.start(child, () -> 0)) {
        return measured(child, watch, new GatewayLoad(port, plan), flags, steps);
      }
    }
  }

  private Map<String, @Nullable Object> measured(
      ChildJvm child, ProcessWatch watch, GatewayLoad load, List<String> flags, LabRow.Steps steps)
      throws IOException {
    long begun = System.nanoTime();
    load.full();
    double seconds = (System.nanoTime() - begun) / 1e9;
    long loadAnswered = load.answered();
    final long loadRssBytes = watch.sample();
    steps.done(1, STEPS);
    load.light();
    final long lightRssBytes = watch.sample();
    steps.done(2, STEPS);
    child.send(GatewayChild.LOOK);
    Map<String, Object> seen = JsonLines.parse(child.receive(PATIENCE));
    Waiting.millis(plan.zeroMillis());
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("coder", coder.label());
    row.put("malloc", malloc.label());
    row.put("netty", "4.2.18");
    row.put("java", System.getProperty("java.version"));
    row.put("flags", String.join(" ", flags));
    row.put("contentBytes", plan.contentBytes());
    row.put("answered", load.answered());
    row.put("vanished", load.vanished());
    row.put("refused", load.failed());
    row.put("perSecond", Math.round(loadAnswered / seconds));
    row.putAll(seen);
    row.put("peakRssBytes", watch.peakRssBytes());
    row.put("meanRssBytes", watch.meanRssBytes());
    row.put("loadRssBytes", loadRssBytes);
    row.put("lightRssBytes", lightRssBytes);
    row.put("idleRssBytes", watch.sample());
    row.put("seconds", Math.round(seconds * 100) / 100.0);
    row.put(LabReport.SERIES, watch.series());
    return row;
  }
}
