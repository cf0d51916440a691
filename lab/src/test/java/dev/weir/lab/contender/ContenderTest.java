package dev.weir.lab.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.lab.memory.LivePages;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ContenderTest {
  private static final int BLOCKS = 200;

  /** A library that this machine lacks is a line that says what to install. */
  @ParameterizedTest
  @EnumSource(Contender.class)
  void blocksDoNotOverlapAndAllGoBack(Contender contender) {
    assertThat(Contender.of(contender.label())).isSameAs(contender);
    LivePages pages = new LivePages();
    BlockStore store;
    try {
      store = contender.open(64 << 20, pages, Writing.PAGES);
    } catch (ContenderMissingException missing) {
      assertThat(missing.getMessage()).contains("apt install lib").doesNotContain("\n");
      return;
    }
    long[] addresses = new long[BLOCKS];
    for (int slot = 0; slot < BLOCKS; slot++) {
      addresses[slot] = store.allocate(slot, bytes(slot));
      pages.add(addresses[slot], bytes(slot));
    }
    for (int a = 0; a < BLOCKS; a++) {
      for (int b = 0; b < a; b++) {
        assertThat(
                addresses[a] + bytes(a) <= addresses[b] || addresses[b] + bytes(b) <= addresses[a])
            .isTrue();
      }
    }
    long live = pages.bytes();
    store
        .residentBytes()
        .ifPresent(resident -> assertThat(resident).isGreaterThanOrEqualTo(live / 2));
    store.boundBytes().ifPresent(bound -> assertThat(bound).isGreaterThan(32 << 20));
    for (int slot = 0; slot < BLOCKS; slot++) {
      store.release(slot);
      pages.remove(addresses[slot], bytes(slot));
    }
    assertThat(pages.bytes()).isZero();
  }

  @Test
  void weirRefusesWhatItsLimitHasNoRoomFor() throws ContenderMissingException {
    BlockStore store = Contender.WEIR.open(4 << 20, new LivePages(), Writing.PAGES);
    assertThat(store.allocate(0, 8 << 20)).isEqualTo(BlockStore.REFUSED);
    assertThat(store.allocate(0, 1 << 20)).isNotEqualTo(BlockStore.REFUSED);
    assertThat(store.occupancy().orElseThrow().blockBytes()).isEqualTo(1 << 20);
    store.release(0);
  }

  @Test
  void weirsHeapBuffersHaveTheSameLimitForArrays() throws ContenderMissingException {
    BlockStore store = Contender.WEIR_HEAP.open(4 << 20, new LivePages(), Writing.PAGES);
    assertThat(store.allocate(0, 8 << 20)).isEqualTo(BlockStore.REFUSED);
    assertThat(store.allocate(0, 1 << 20)).isNotEqualTo(BlockStore.REFUSED);
    assertThat(store.residentBytes()).hasValue(1 << 20);
    store.release(0);
  }

  @Test
  void theCLibraryHasTheLimitForWhatIsLive() throws ContenderMissingException {
    BlockStore store = Contender.GLIBC.open(4 << 20, new LivePages(), Writing.PAGES);
    assertThat(store.allocate(0, 3 << 20)).isNotEqualTo(BlockStore.REFUSED);
    assertThat(store.allocate(1, 2 << 20)).isEqualTo(BlockStore.REFUSED);
    store.release(0);
    assertThat(store.allocate(1, 2 << 20)).isNotEqualTo(BlockStore.REFUSED);
    store.release(1);
  }

  @Test
  void anUnknownLabelListsTheKnownOnes() {
    assertThatThrownBy(() -> Contender.of("dlmalloc"))
        .hasMessage(
            "no allocator 'dlmalloc'; there are weir, weir+dense, netty-pooled, netty-adaptive,"
                + " netty-unpooled, glibc, mimalloc, jemalloc, tcmalloc, sequential, none,"
                + " weir-heap, netty-pooled-heap, netty-adaptive-heap");
  }

  private static int bytes(int slot) {
    return 1 + slot * slot * 3;
  }
}
