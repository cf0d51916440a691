package dev.weir.lab.accumulate;

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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Measures one server. Used by one thread. */
final class AccumulateRow implements LabRow.Body {
  private static final int SETTLE_MILLIS = 500;
  private static final long PAGE_BYTES = 4096;
  private static final double NANOS_PER_SECOND = 1e9;

  private final NettyPeer peer;
  private final Optional<Jdk> jdk;
  private final AccumulatePlan plan;

  AccumulateRow(NettyPeer peer, Optional<Jdk> jdk, AccumulatePlan plan) {
    this.peer = peer;
    this.jdk = jdk;
    this.plan = plan;
  }

  @Override
  public Map<String, @Nullable Object> measure(LabRow.Steps steps) throws IOException {
    List<String> flags =
        peer.isWeir()
            ? List.of()
            : List.of("-Dio.netty.allocator.numDirectArenas=" + plan.arenas());
    List<String> arguments = List.of(Integer.toString(plan.loops()));
    AtomicLong liveBytes = new AtomicLong();
    try (PeerJvm server = PeerJvm.start(peer, jdk, plan.limitBytes(), flags, "serve", arguments);
        ProcessWatch watch = ProcessWatch.start(server.child(), liveBytes::get)) {
      int port = (int) JsonLines.number(server.receive(), "port");
      WholeUpload upload = new WholeUpload(port, PeerJvm.silenceLimit(), liveBytes);
      long begun = System.nanoTime();
      int smallDone = sendSmall(upload, steps);
      Waiting.millis(SETTLE_MILLIS);
      Map<String, Object> between = server.look();
      long betweenRssBytes = watch.sample();
      int largeDone = 0;
      while (largeDone < plan.largeUploads() && upload.send(plan.largeBytes())) {
        steps.done(++largeDone, plan.largeUploads());
      }
      double seconds = (System.nanoTime() - begun) / NANOS_PER_SECOND;
      Waiting.millis(plan.zeroLoadMillis());
      Map<String, Object> last = server.look();
      Map<String, @Nullable Object> row = new LinkedHashMap<>(server.environment());
      row.put("smallUploads", plan.smallUploads());
      row.put("smallAnswered", smallDone);
      row.put("betweenHeldBytes", between.get("heldBytes"));
      row.put("betweenRssBytes", betweenRssBytes);
      row.put("largeUploads", plan.largeUploads());
      row.put("largeAnswered", largeDone);
      row.put("refused", last.get("refused"));
      row.put("firstFailure", last.get("firstFailure"));
      row.put("limitBytes", plan.limitBytes());
      row.put("peakLiveBytes", watch.peakLiveBytes());
      row.put("boundBytes", Math.ceilDiv(watch.peakLiveBytes(), PAGE_BYTES) * PAGE_BYTES);
      row.put("peakRssBytes", watch.peakRssBytes());
      row.put("meanRssBytes", watch.meanRssBytes());
      row.put("idleRssBytes", watch.sample());
      row.put("idleHeldBytes", last.get("heldBytes"));
      row.put("seconds", Math.round(seconds * 100) / 100.0);
      row.put(LabReport.SERIES, watch.series());
      return row;
    }
  }

  private int sendSmall(WholeUpload upload, LabRow.Steps steps) throws IOException {
    AtomicInteger left = new AtomicInteger(plan.smallUploads());
    AtomicInteger done = new AtomicInteger();
    AtomicReference<@Nullable IOException> hanging = new AtomicReference<>();
    CountDownLatch ended = new CountDownLatch(plan.clients());
    for (int i = 0; i < plan.clients(); i++) {
      Thread.startVirtualThread(() -> {
        try {
          while (left.getAndDecrement() > 0) {
            if (upload.send(plan.smallBytes())) {
              done.incrementAndGet();
            }
          }
        } catch (IOException silent) {
          hanging.set(silent);
          left.set(0);
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
    IOException silent = hanging.get();
    if (silent != null) {
      throw silent;
    }
    steps.done(0, plan.largeUploads());
    return done.get();
  }
}
