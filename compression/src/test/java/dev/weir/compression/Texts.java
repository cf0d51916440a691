package dev.weir.compression;

import com.github.luben.zstd.Zstd;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;

/** What the tests compress: made from a seed, so that it is the same every time. */
public final class Texts {
  private static final String[] WORDS = {
    "order", "customer", "street", "amount", "currency", "pending", "shipped", "returned", "note"
  };

  private Texts() {}

  /** So many bytes of JSON objects in one array. */
  public static byte[] json(int bytes, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    StringBuilder text = new StringBuilder(bytes + 256).append('[');
    while (text.length() < bytes) {
      text.append("{\"id\":").append(random.nextInt(1_000_000));
      for (int i = 0; i < 5; i++) {
        text.append(",\"").append(WORDS[random.nextInt(WORDS.length)]).append("\":\"");
        text.append(WORDS[random.nextInt(WORDS.length)]).append(random.nextInt(100)).append('"');
      }
      text.append("},\n");
    }
    text.setLength(bytes);
    return text.toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  /** What texts of so many bytes have in common, as {@code zstd --train} finds it. */
  public static byte[] dictionary(int textBytes) {
    byte[][] samples = new byte[2_000][];
    for (int i = 0; i < samples.length; i++) {
      samples[i] = json(textBytes, 1_000 + i);
    }
    byte[] dictionary = new byte[16 << 10];
    long bytes = Zstd.trainFromBuffer(samples, dictionary);
    if (Zstd.isError(bytes)) {
      throw new IllegalStateException(Zstd.getErrorName(bytes));
    }
    return Arrays.copyOf(dictionary, (int) bytes);
  }

  /** So many bytes that no compressor finds anything in. */
  public static byte[] noise(int bytes, long seed) {
    byte[] noise = new byte[bytes];
    new java.util.Random(seed).nextBytes(noise);
    return noise;
  }
}
