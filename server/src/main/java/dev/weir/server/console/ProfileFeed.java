package dev.weir.server.console;

import dev.weir.memory.Pool;
import dev.weir.memory.profile.LeakSuspect;
import dev.weir.memory.profile.LeakWatch;
import dev.weir.memory.profile.LiveProfile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The live profile of a pool, as the console shows it. The console's thread only. */
final class ProfileFeed {
  /** The profile is read again after so long, whoever asks: 1 s. */
  private static final long FRESH_NANOS = 1_000_000_000;

  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final int MAX_SUSPECTS = 8;
  private static final int MAX_OLDEST = 12;

  /** With 70 characters a frame, 20 places make some 20 KB. */
  private static final int MAX_FRAMES = 16;

  private final Pool pool;
  private final LeakWatch watch;
  private LiveProfile last = LiveProfile.EMPTY;
  private RoundingEstimates estimates = RoundingEstimates.NONE;
  private long lastNanos;

  ProfileFeed(Pool pool, LeakWatch watch) {
    this.pool = pool;
    this.watch = watch;
    this.lastNanos = System.nanoTime() - FRESH_NANOS;
  }

  /** Whether there is a profile. */
  boolean isOn() {
    return pool.options().bytesPerSample() > 0;
  }

  /** Looks for what is old and grows. */
  void watch() {
    watch.read(pool.profileOlderThan(watch.threshold()), System.nanoTime());
  }

  private LiveProfile profile() {
    long now = System.nanoTime();
    if (now - lastNanos >= FRESH_NANOS) {
      last = pool.profile();
      estimates = RoundingEstimates.of(last);
      lastNanos = now;
    }
    return last;
  }

  /** How much of the blocks was asked for. */
  RoundingEstimates estimates() {
    profile();
    return estimates;
  }

  /** Suspects and the oldest blocks by place, as a part of the figures. */
  Map<String, Object> json() {
    LiveProfile profile = profile();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("bytesPerSample", profile.bytesPerSample());
    json.put("samples", profile.samples().size());
    json.put("lostSamples", profile.lostSamples());
    json.put("bytes", profile.bytes());
    json.put("roundingBytes", profile.roundingBytes());
    json.put("leakAgeMillis", watch.threshold().toMillis());
    json.put(
        "suspects",
        watch.suspects().stream().limit(MAX_SUSPECTS).map(ProfileFeed::suspect).toList());
    json.put(
        "oldest",
        CodePlaces.oldest(profile.sites(), MAX_OLDEST).stream().map(ProfileFeed::oldest).toList());
    return json;
  }

  private static Map<String, Object> suspect(LeakSuspect suspect) {
    Map<String, Object> json =
        place(suspect.stack(), suspect.budget(), suspect.bytes(), suspect.blocks());
    json.put("budgets", suspect.budgets());
    json.put("oldestMillis", suspect.oldestNanos() / NANOS_PER_MILLI);
    json.put("growthBytesPerSecond", suspect.growthBytesPerSecond());
    json.put("growingMillis", suspect.growingNanos() / NANOS_PER_MILLI);
    return json;
  }

  private static Map<String, Object> oldest(CodePlaces.Place place) {
    Map<String, Object> json = place(place.stack(), place.budget(), place.bytes(), place.blocks());
    json.put("budgets", place.budgets());
    json.put("oldestMillis", place.oldestNanos() / NANOS_PER_MILLI);
    return json;
  }

  private static Map<String, Object> place(
      List<StackTraceElement> stack, String budget, long bytes, long blocks) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("place", CodeText.place(stack));
    json.put("budget", budget);
    json.put("bytes", bytes);
    json.put("blocks", blocks);
    json.put("stack", CodeText.frames(stack, MAX_FRAMES));
    return json;
  }

  /** A whole answer. */
  byte[] bytes(ProfileForm form, ProfileQuery query) {
    LiveProfile part = query.of(profile());
    return switch (form) {
      case PPROF -> pprof(part);
      case COLLAPSED -> part.collapsed().getBytes(Json.CHARSET);
      case FLAME ->
          Json.bytes(
              FlameTree.of(query.budget() == null ? pool.rootBudget().name() : query.budget(), part)
                  .json());
      case DUMP ->
          DumpText.of(pool.snapshot(), part, watch.suspects(), watch.threshold())
              .getBytes(Json.CHARSET);
    };
  }

  private static byte[] pprof(LiveProfile profile) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      profile.writePprof(out);
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory failed", e);
    }
    return out.toByteArray();
  }
}
