package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.testing.SeededRuns;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PageBitsTest {
  /** Several chunks of bits, of which most stay absent. */
  private static final int PAGES = 200_000;

  private final PageBits bits = new PageBits();
  private final PageBits none = new PageBits();

  @Test
  void noBitIsSetAtFirst() {
    assertThat(bits.cardinality()).isZero();
    assertThat(bits.last()).isEqualTo(-1);
    assertThat(bits.get(1L << 35)).isFalse();
    assertThat(bits.nextSetExcept(0, none)).isEqualTo(-1);
  }

  @Test
  void rangesReachAcrossWordsAndChunks() {
    bits.set(60, 70_000);

    assertThat(bits.cardinality()).isEqualTo(70_000);
    assertThat(bits.get(59)).isFalse();
    assertThat(bits.get(60)).isTrue();
    assertThat(bits.get(70_059)).isTrue();
    assertThat(bits.get(70_060)).isFalse();
    assertThat(bits.last()).isEqualTo(70_059);
    assertThat(bits.lengthBackward(70_059, 100_000)).isEqualTo(70_000);
    assertThat(bits.lengthExcept(60, 100_000, none)).isEqualTo(70_000);
  }

  @Test
  void clearingReturnsHowManyWereSet() {
    bits.set(0, 10);

    assertThat(bits.clear(5, 100_000)).isEqualTo(5);
    assertThat(bits.clear(5, 100_000)).isZero();
    assertThat(bits.cardinality()).isEqualTo(5);
  }

  @Test
  void settingTwiceCountsOnce() {
    bits.set(100, 50);
    bits.set(120, 50);

    assertThat(bits.cardinality()).isEqualTo(70);
  }

  @Test
  void theNextBitSkipsThoseInTheOtherSet() {
    PageBits except = new PageBits();
    bits.set(10, 200);
    except.set(10, 150);

    assertThat(bits.nextSetExcept(0, except)).isEqualTo(160);
    assertThat(bits.nextSetExcept(170, except)).isEqualTo(170);
    assertThat(bits.nextSetExcept(210, except)).isEqualTo(-1);
    assertThat(bits.lengthExcept(160, 1_000, except)).isEqualTo(50);
    assertThat(bits.lengthExcept(160, 7, except)).isEqualTo(7);
    assertThat(bits.lengthExcept(100, 1_000, except)).isZero();
  }

  @Test
  void itAgreesWithABitSet() {
    SeededRuns.forSeeds(
        getClass(),
        20,
        random -> {
          PageBits tested = new PageBits();
          PageBits except = new PageBits();
          BitSet model = new BitSet();
          BitSet modelExcept = new BitSet();
          for (int step = 0; step < 500; step++) {
            change(tested, model, random);
            change(except, modelExcept, random);
            compare(tested, model, except, modelExcept, random);
          }
          tested.clearAll();
          assertThat(tested.cardinality()).isZero();
          assertThat(tested.last()).isEqualTo(-1);
        });
  }

  private static void change(PageBits tested, BitSet model, SplittableRandom random) {
    int from = random.nextInt(PAGES);
    int count = random.nextInt(Math.min(PAGES - from, 1 << random.nextInt(1, 17)) + 1);
    if (random.nextBoolean()) {
      tested.set(from, count);
      model.set(from, from + count);
    } else {
      assertThat(tested.clear(from, count)).isEqualTo(model.get(from, from + count).cardinality());
      model.clear(from, from + count);
    }
  }

  private static void compare(
      PageBits tested, BitSet model, PageBits except, BitSet modelExcept, SplittableRandom random) {
    assertThat(tested.cardinality()).isEqualTo(model.cardinality());
    assertThat(tested.last()).isEqualTo(model.length() - 1);
    int from = random.nextInt(PAGES);
    int count = random.nextInt(PAGES - from);
    assertThat(tested.lastBefore(from)).isEqualTo(from == 0 ? -1 : model.previousSetBit(from - 1));
    assertThat(tested.get(from)).isEqualTo(model.get(from));
    assertThat(tested.count(from, count)).isEqualTo(model.get(from, from + count).cardinality());
    BitSet rest = (BitSet) model.clone();
    rest.andNot(modelExcept);
    assertThat(tested.nextSetExcept(from, except)).isEqualTo(rest.nextSetBit(from));
    int length = rest.nextClearBit(from) - from;
    assertThat(tested.lengthExcept(from, 300, except)).isEqualTo(Math.min(300, length));
    int backward = from - model.previousClearBit(from);
    assertThat(tested.lengthBackward(from, 300)).isEqualTo(Math.min(300, backward));
  }
}
