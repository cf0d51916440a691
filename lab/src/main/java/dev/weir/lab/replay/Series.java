package dev.weir.lab.replay;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The samples of a replay, thinned out for a chart: of each of a fixed number of equal stretches,
 * the one that held most, with the highest Rss. Not thread-safe.
 */
final class Series {
  private static final int STRETCHES = 480;

  private final @Nullable Sample[] highest = new Sample[STRETCHES];
  private final List<List<Object>> phases = new ArrayList<>();

  void add(Sample sample) {
    int stretch = Math.min(STRETCHES - 1, (int) (sample.progress() * STRETCHES));
    Sample rival = highest[stretch];
    if (rival == null) {
      highest[stretch] = sample;
    } else {
      Sample higher = sample.heldBytes() >= rival.heldBytes() ? sample : rival;
      highest[stretch] = higher.withRss(Math.max(sample.rssBytes(), rival.rssBytes()));
    }
  }

  void phase(String label, double progress) {
    phases.add(List.of(label, progress));
  }

  /** The samples: progress, live, pages, resident, Rss of each. */
  List<List<Number>> samples() {
    return Arrays.stream(highest)
        .filter(sample -> sample != null)
        .map(sample ->
            List.<Number>of(
                Ratio.rounded(sample.progress()),
                sample.liveBytes(),
                sample.pageBytes(),
                sample.residentBytes(),
                sample.rssBytes()))
        .toList();
  }

  /** The phases: label, and the progress at which each began. */
  List<List<Object>> phases() {
    return phases;
  }
}
