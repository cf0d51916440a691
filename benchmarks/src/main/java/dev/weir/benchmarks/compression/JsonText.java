package dev.weir.benchmarks.compression;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/** Orders as JSON, the same every time: words and numbers that repeat about as much as in life. */
final class JsonText {
  private static final long SEED = 20;
  private static final String[] WORDS = {
    "alder", "birch", "cedar", "dogwood", "elm", "fir", "ginkgo", "hazel", "juniper", "larch",
    "maple", "oak", "pine", "rowan", "spruce", "teak", "walnut", "willow", "yew", "zelkova"
  };
  private static final String[] STATES = {"pending", "paid", "shipped", "returned"};

  private JsonText() {}

  /** So many bytes of it, the last object perhaps cut off. */
  static byte[] of(int bytes) {
    SplittableRandom random = new SplittableRandom(SEED);
    StringBuilder text = new StringBuilder(bytes + 512).append("{\"orders\":[");
    while (text.length() < bytes) {
      text.append("{\"id\":\"").append(Long.toHexString(random.nextLong()));
      text.append("\",\"state\":\"").append(STATES[random.nextInt(STATES.length)]);
      text.append("\",\"total\":").append(random.nextInt(100_000)).append('.');
      text.append(random.nextInt(10)).append(random.nextInt(10)).append(",\"lines\":[");
      for (int line = random.nextInt(4); line >= 0; line--) {
        text.append("{\"product\":\"").append(WORDS[random.nextInt(WORDS.length)]).append(' ');
        text.append(WORDS[random.nextInt(WORDS.length)]).append("\",\"quantity\":");
        text.append(random.nextInt(1, 20)).append("},");
      }
      text.append("],\"placed\":").append(1_700_000_000L + random.nextInt(10_000_000)).append("},");
    }
    text.setLength(bytes);
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }
}
