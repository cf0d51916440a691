package capture;

import java.util.SplittableRandom;

/** How large messages are: most are small, few are large, as a log-normal choice has it. */
final class Sizes {
  private final SplittableRandom random;

  Sizes(long seed) {
    random = new SplittableRandom(seed);
  }

  /** Half of the sizes are below {@code median}, one in a hundred above {@code top}. */
  int next(int median, int top, int most) {
    double gaussian = random.nextGaussian();
    double sigma = Math.log((double) top / median) / 2.326;
    return (int) Math.clamp(median * Math.exp(sigma * gaussian), 16, most);
  }

  boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }
}
