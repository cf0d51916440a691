package dev.weir.streams.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Packed extents, against a list. */
class ExtentListTest {
  private record Naive(long startOffset, int segment, long position, boolean startsAppend) {}

  @Test
  void packedExtentsEqualTheNaiveList() {
    Seeds.forSeeds(
        ExtentListTest.class,
        50,
        random -> {
          List<Naive> naive = new ArrayList<>();
          ExtentList.Builder builder = new ExtentList.Builder(random.nextInt(3));
          long offset = random.nextLong(1L << 50);
          int count = random.nextInt(40);
          for (int i = 0; i < count; i++) {
            Naive next =
                new Naive(
                    offset,
                    random.nextInt(Integer.MAX_VALUE),
                    random.nextLong(1L << 32),
                    random.nextBoolean());
            naive.add(next);
            builder.add(next.startOffset(), next.segment(), next.position(), next.startsAppend());
            offset += 1 + random.nextLong(1_000);
          }
          ExtentList packed = builder.build();
          assertThat(packed.size()).isEqualTo(count);
          for (int i = 0; i < count; i++) {
            assertThat(
                    new Naive(
                        packed.startOffset(i),
                        packed.segment(i),
                        packed.position(i),
                        packed.startsAppend(i)))
                .isEqualTo(naive.get(i));
            long end = i + 1 < count ? naive.get(i + 1).startOffset() : offset;
            assertThat(packed.lengthBytes(i, offset)).isEqualTo(end - naive.get(i).startOffset());
            assertThat(packed.indexOf(naive.get(i).startOffset())).isEqualTo(i);
            assertThat(packed.indexOf(end - 1)).isEqualTo(i);
            assertThat(packed.indexOf(naive.get(i).startOffset() - 1)).isEqualTo(i - 1);
          }
        });
  }
}
