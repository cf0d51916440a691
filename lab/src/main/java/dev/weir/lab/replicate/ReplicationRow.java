package dev.weir.lab.replicate;

import dev.weir.lab.report.LabReport;
import dev.weir.lab.scenario.LabRow;
import dev.weir.lab.scenario.ProcessWatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Measures one peer that copies into a slow receiver, while its sender is watched. */
final class ReplicationRow implements LabRow.Body {
  private static final Path MEMORY = Path.of("/dev/shm");

  private final Peer peer;
  private final ReplicationPlan plan;

  ReplicationRow(Peer peer, ReplicationPlan plan) {
    this.peer = peer;
    this.plan = plan;
  }

  @Override
  public Map<String, @Nullable Object> measure(LabRow.Steps steps) throws IOException {
    Path parent = Files.isWritable(MEMORY) ? MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
    Path folder = Files.createTempDirectory(parent, "weir-lab-");
    try {
      Path container = folder.resolve(SenderMain.NAME);
      Workshop.fill(container, 1, plan.containerBytes(), /* seed= */ 1, /* compressible= */ 0);
      CopyPlan line = new CopyPlan(peer, ReplicationPlan.CONNECTIONS, null);
      CopyPlan.Load load =
          new CopyPlan.Load(
              folder, container, 1, plan.containerBytes(), null, /* nginxPort= */ 0, plan.load());
      try (CopySides sides = CopySides.start(line, load);
          ProcessWatch watch = ProcessWatch.start(sides.sender().pid(), () -> 0)) {
        CopyOutcome outcome =
            CopyOutcome.ofLoop(sides.receiver(), ended -> steps.done(ended, plan.containers()));
        Map<String, @Nullable Object> row = CopyRun.head(line, load);
        row.put("limitBytes", plan.directBytes());
        row.put("netty", "4.2.18");
        row.put("java", System.getProperty("java.version"));
        row.putAll(outcome.row(plan.containerBytes()));
        row.putAll(sides.figures());
        row.put("peakRssBytes", watch.peakRssBytes());
        row.put("meanRssBytes", watch.meanRssBytes());
        row.put("seconds", Math.round(outcome.busyNanos() / 1e7) / 100.0);
        row.put(LabReport.SERIES, watch.series());
        return row;
      }
    } finally {
      Folders.delete(folder);
    }
  }
}
