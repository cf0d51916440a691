package dev.weir.memory.profile;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What was live at one moment, by sample: unbiased estimates, the better the more samples stand
 * behind them.
 *
 * @param bytesPerSample one sample was taken in so many allocated bytes, on average, or in more by
 *     threads that allocate faster than that can be followed
 * @param lostSamples how many, since the pool was created, could not be kept: their blocks are
 *     missing
 * @param samples one for each sampled block that is live
 */
public record LiveProfile(long bytesPerSample, long lostSamples, List<LiveBlocks> samples) {
  /** Of a pool that takes no samples, or has nothing live. */
  public static final LiveProfile EMPTY = new LiveProfile(0, 0, List.of());

  private record Key(String budget, List<StackTraceElement> stack) {}

  /** Copies the list. */
  public LiveProfile {
    samples = List.copyOf(samples);
  }

  /** The bytes of all live blocks, estimated. */
  public long bytes() {
    return samples.stream().mapToLong(LiveBlocks::bytes).sum();
  }

  /**
   * What of {@link #bytes} was not asked for, but came with sizes of slots and pages, estimated.
   */
  public long roundingBytes() {
    return samples.stream().mapToLong(LiveBlocks::roundingBytes).sum();
  }

  /** The part of it that has been live for longer than that. */
  public LiveProfile olderThan(Duration age) {
    return new LiveProfile(
        bytesPerSample,
        lostSamples,
        samples.stream().filter(blocks -> blocks.ageNanos() > age.toNanos()).toList());
  }

  /**
   * The part of it that is charged to a budget or below it.
   *
   * @param path the budget's, from the root on
   */
  public LiveProfile chargedTo(String path) {
    return new LiveProfile(
        bytesPerSample,
        lostSamples,
        samples.stream()
            .filter(
                blocks -> blocks.budget().equals(path) || blocks.budget().startsWith(path + "/"))
            .toList());
  }

  /** Who holds it: by budget and place in the code, those that hold most first. */
  public List<LiveSite> sites() {
    Map<Key, List<LiveBlocks>> byKey = new LinkedHashMap<>();
    for (LiveBlocks blocks : samples) {
      byKey
          .computeIfAbsent(new Key(blocks.budget(), blocks.stack()), key -> new ArrayList<>())
          .add(blocks);
    }
    return byKey.entrySet().stream()
        .map(entry -> site(entry.getKey(), entry.getValue()))
        .sorted(Comparator.comparingLong(LiveSite::bytes).reversed())
        .toList();
  }

  private static LiveSite site(Key key, List<LiveBlocks> blocks) {
    return new LiveSite(
        key.budget,
        key.stack,
        blocks.stream().mapToLong(LiveBlocks::bytes).sum(),
        Math.round(blocks.stream().mapToDouble(LiveBlocks::blocks).sum()),
        blocks.size(),
        blocks.stream().mapToLong(LiveBlocks::ageNanos).max().orElse(0));
  }

  /** What would end a frame or a line of {@link #collapsed}. */
  private static final Pattern NOT_IN_A_FRAME =
      Pattern.compile("[;\\p{Cntrl}\\u0085\\u2028\\u2029]");

  /**
   * One line for each stack and budget: the budget's path and the frames, outermost first, with
   * semicolons between them, a space, and the bytes. What flame graph tools read.
   */
  public String collapsed() {
    Map<String, Long> lines = new TreeMap<>();
    for (LiveSite site : sites()) {
      StringBuilder line = new StringBuilder(NOT_IN_A_FRAME.matcher(site.budget()).replaceAll(","));
      for (StackTraceElement frame : site.stack().reversed()) {
        line.append(';').append(frame.getClassName()).append('.').append(frame.getMethodName());
      }
      lines.merge(line.toString(), site.bytes(), Long::sum);
    }
    StringBuilder text = new StringBuilder();
    lines.forEach((stack, bytes) -> text.append(stack).append(' ').append(bytes).append('\n'));
    return text.toString();
  }

  /**
   * Writes it in the format of {@code pprof}, compressed: live objects and bytes, with labels for
   * the budget, the size of the block and its age. {@code go tool pprof FILE} opens it. The stream
   * stays open.
   */
  public void writePprof(OutputStream out) throws IOException {
    PprofWriter.write(this, out);
  }
}
