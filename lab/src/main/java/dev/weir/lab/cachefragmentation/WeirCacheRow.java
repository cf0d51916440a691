package dev.weir.lab.cachefragmentation;

import dev.weir.lab.child.ChildJvm;
import dev.weir.lab.child.ServiceFlags;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.report.LabReport;
import dev.weir.lab.scenario.LabRow;
import dev.weir.lab.scenario.ProcessWatch;
import dev.weir.lab.subject.Subject;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The load on Weir's own caches, in a JVM of this program. Used by one thread. */
final class WeirCacheRow implements LabRow.Body {
  private static final Duration PHASE_LIMIT = Duration.ofMinutes(5);

  private final Subject subject;
  private final CachePlan plan;

  WeirCacheRow(Subject subject, CachePlan plan) {
    this.subject = subject;
    this.plan = plan;
  }

  @Override
  public Map<String, @Nullable Object> measure(LabRow.Steps steps) throws IOException {
    List<String> flags = ServiceFlags.within(plan.limitBytes(), "-Xms128m", "-Xmx128m");
    AtomicLong liveBytes = new AtomicLong();
    try (ChildJvm child =
        ChildJvm.start(
            CacheChild.class, flags, List.of(subject.label(), JsonLines.line(plan.toMap())))) {
      Map<String, Object> said = JsonLines.parse(child.receive(PHASE_LIMIT));
      try (ProcessWatch watch = ProcessWatch.start(child, liveBytes::get)) {
        while (said.get(CacheChild.PHASE) instanceof Number phase) {
          liveBytes.set(JsonLines.number(said, CacheChild.CACHED));
          steps.done(phase.intValue(), plan.phases());
          said = JsonLines.parse(child.receive(PHASE_LIMIT));
        }
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("netty", "4.2.18");
        row.put("java", System.getProperty("java.version"));
        row.put("flags", String.join(" ", flags));
        row.put("limitBytes", plan.limitBytes());
        row.putAll(said);
        row.put(LabReport.SERIES, watch.series());
        return row;
      }
    }
  }
}
