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

  @Test
  void noBitIsSetAtFirst() {
    assertThat(bits.cardinality()).isZero();
    assertThat(bits.last()).isEqualTo(-1);
    assertThat(bits.get(1L << 35)).isFalse();
    assertThat(bits.nextSetIn(0, bits)).isEqualTo(-1);
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
    assertThat(bits.lengthIn(60, 100_000, bits)).isEqualTo(70_000);
  }

  @Test
  void clearingReturnsHowManyWereSet() {
    bits.set(0, 10);

    assertThat(bits.clear(5, 100_000)).isEqualTo(5);
    assertThat(bits.clear(5, 100_000)).isZero();
    assertThat(bits.cardinality()).isEqualTo(5);
  }

  @Test
  void theNextBitSkipsThoseOutsideTheOtherSet() {
    PageBits other = new PageBits();
    bits.set(10, 200);
    other.set(160, 500);

    assertThat(bits.nextSetIn(0, other)).isEqualTo(160);
    assertThat(bits.nextSetIn(170, other)).isEqualTo(170);
    assertThat(bits.nextSetIn(210, other)).isEqualTo(-1);
    assertThat(bits.lengthIn(160, 1_000, other)).isEqualTo(50);
    assertThat(bits.lengthIn(160, 7, other)).isEqualTo(7);
    assertThat(bits.lengthIn(100, 1_000, other)).isZero();
    assertThat(bits.nextSetIn(0, new PageBits())).isEqualTo(-1);
  }

  @Test
  void aCopyHasTheSameBitsAndNoOthers() {
    PageBits copy = new PageBits();
    copy.set(5, 10);
    copy.set(150_000, 10);
    bits.set(10, 20);
    bits.set(40_000, 20);

    copy.copy(bits);

    assertThat(copy.cardinality()).isEqualTo(40);
    assertThat(copy.lengthIn(10, 100, bits)).isEqualTo(20);
    assertThat(copy.lengthIn(40_000, 100, bits)).isEqualTo(20);
    copy.clear(0, 100);
    assertThat(bits.cardinality()).as("what it was copied from").isEqualTo(40);
    copy.copy(new PageBits());
    assertThat(copy.cardinality()).isZero();
  }

  @Test
  void pageBitsAgreeWithABitSet() {
    SeededRuns.forSeeds(
        getClass(),
        20,
        random -> {
          PageBits tested = new PageBits();
          PageBits other = new PageBits();
          BitSet model = new BitSet();
          BitSet modelOther = new BitSet();
          for (int step = 0; step < 500; step++) {
            change(tested, model, random);
            change(other, modelOther, random);
            compare(tested, model, other, modelOther, random);
          }
          tested.copy(other);
          compare(tested, modelOther, other, modelOther, random);
        });
  }

  private static void change(PageBits tested, BitSet model, SplittableRandom random) {
    int from = random.nextInt(PAGES);
    int count = random.nextInt(Math.min(PAGES - from, 1 << random.nextInt(1, 17)) + 1);
    assertThat(tested.clear(from, count)).isEqualTo(model.get(from, from + count).cardinality());
    model.clear(from, from + count);
    if (random.nextBoolean()) {
      tested.set(from, count);
      model.set(from, from + count);
    }
  }

  private static void compare(
      PageBits tested, BitSet model, PageBits other, BitSet modelOther, SplittableRandom random) {
    assertThat(tested.cardinality()).isEqualTo(model.cardinality());
    assertThat(tested.last()).isEqualTo(model.length() - 1);
    int from = random.nextInt(PAGES);
    int count = random.nextInt(PAGES - from);
    assertThat(tested.lastBefore(from)).isEqualTo(from == 0 ? -1 : model.previousSetBit(from - 1));
    assertThat(tested.get(from)).isEqualTo(model.get(from));
    assertThat(tested.count(from, count)).isEqualTo(model.get(from, from + count).cardinality());
    BitSet both = (BitSet) model.clone();
    both.and(modelOther);
    assertThat(tested.nextSetIn(from, other)).isEqualTo(both.nextSetBit(from));
    int length = both.nextClearBit(from) - from;
    assertThat(tested.lengthIn(from, 300, other)).isEqualTo(Math.min(300, length));
    int backward = from - model.previousClearBit(from);
    assertThat(tested.lengthBackward(from, 300)).isEqualTo(Math.min(300, backward));
  }
}
