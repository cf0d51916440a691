package dev.weir.lab.perthread;

import dev.weir.lab.load.WholeUpload;
import dev.weir.lab.peer.Jdk;
import dev.weir.lab.peer.NettyPeer;
import dev.weir.lab.peer.PeerJvm;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.report.LabReport;
import dev.weir.lab.scenario.LabRow;
import dev.weir.lab.scenario.ProcessWatch;
import dev.weir.lab.scenario.Waiting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Measures one server, a request at a time. Used by one thread. */
final class PerThreadRow implements LabRow.Body {
  private static final int LOOPS = 16;
  private static final int REQUESTS = 20;
  private static final int BODY_BYTES = 20_000;
  private static final long LIMIT_BYTES = 2L << 30;
  private static final int SETTLE_MILLIS = 150;
  private static final long PAGE_BYTES = 4096;

  private final NettyPeer peer;
  private final Optional<Jdk> jdk;
  private final int zeroLoadMillis;

  PerThreadRow(NettyPeer peer, Optional<Jdk> jdk, int zeroLoadMillis) {
    this.peer = peer;
    this.jdk = jdk;
    this.zeroLoadMillis = zeroLoadMillis;
  }

  @Override
  public Map<String, @Nullable Object> measure(LabRow.Steps steps) throws IOException {
    List<String> flags =
        peer.isWeir() ? List.of() : List.of("-Dio.netty.allocator.numDirectArenas=" + LOOPS);
    AtomicLong liveBytes = new AtomicLong();
    try (PeerJvm server =
            PeerJvm.start(
                peer, jdk, LIMIT_BYTES, flags, "serve", List.of(Integer.toString(LOOPS)));
        ProcessWatch watch = ProcessWatch.start(server.child(), liveBytes::get)) {
      WholeUpload upload =
          new WholeUpload(
              (int) JsonLines.number(server.receive(), "port"), PeerJvm.silenceLimit(), liveBytes);
      List<Long> rssBytes = new ArrayList<>();
      int answered = 0;
      for (int i = 0; i < REQUESTS; i++) {
        if (upload.send(BODY_BYTES)) {
          answered++;
        } else {
          server.look();
        }
        Waiting.millis(SETTLE_MILLIS);
        rssBytes.add(watch.sample());
        steps.done(i + 1, REQUESTS);
      }
      Map<String, Object> after = server.look();
      Waiting.millis(zeroLoadMillis);
      Map<String, @Nullable Object> row = new LinkedHashMap<>(server.environment());
      row.put("requests", REQUESTS);
      row.put("answered", answered);
      row.put("refused", after.get("refused"));
      row.put("rssBytesAfterEach", rssBytes);
      row.put("requestBytes", typicalGrowth(rssBytes));
      row.put("heldBytes", after.get("heldBytes"));
      row.put("limitBytes", LIMIT_BYTES);
      row.put("peakLiveBytes", (long) BODY_BYTES);
      row.put("boundBytes", Math.ceilDiv(BODY_BYTES, PAGE_BYTES) * PAGE_BYTES);
      row.put("peakRssBytes", watch.peakRssBytes());
      row.put("meanRssBytes", watch.meanRssBytes());
      row.put("idleRssBytes", watch.sample());
      row.put(LabReport.SERIES, watch.series());
      return row;
    }
  }

  /**
   * The median of what the second to the last request on a new loop added; the first one loads
   * classes.
   */
  static long typicalGrowth(List<Long> rssBytes) {
    long[] growth = new long[LOOPS - 1];
    for (int i = 1; i < LOOPS; i++) {
      growth[i - 1] = rssBytes.get(i) - rssBytes.get(i - 1);
    }
    Arrays.sort(growth);
    return growth[growth.length / 2];
  }
}
