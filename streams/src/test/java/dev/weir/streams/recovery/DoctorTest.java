package dev.weir.streams.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.streams.manifest.Commit;
import dev.weir.streams.manifest.Owner;
import dev.weir.streams.manifest.Shards;
import dev.weir.streams.manifest.StreamHeader;
import dev.weir.streams.objects.FaultyObjectStore;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.segments.SegmentId;
import dev.weir.streams.segments.SegmentLayout;
import dev.weir.streams.testing.Flips;
import dev.weir.streams.testing.MapStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the doctor finds, and that it changes nothing. */
class DoctorTest {
  private final MapStore store = new MapStore();
  private StreamHeader a;
  private String first;
  private String second;

  @BeforeEach
  void storeTwoStreams() throws IOException {
    StoreProcess process = new StoreProcess(store);
    a = process.create("a");
    StreamHeader b = process.create("b");
    process.append(a, 0, new byte[3 * SegmentLayout.STRIDE_BYTES]);
    process.append(b, 0, new byte[100]);
    process.flush();
    process.upkeep.foldAll();
    process.append(b, 100, new byte[50]);
    process.flush();
    first = store.keys(SegmentId.PREFIX).get(0);
    second = store.keys(SegmentId.PREFIX).get(1);
    store.takeWrites();
  }

  @Test
  void aSoundStoreHasNoDamage() throws IOException {
    Doctor.Report report = examine();
    assertThat(report.damages()).isEmpty();
    assertThat(report.streams()).isEqualTo(2);
    assertThat(report.segments()).isEqualTo(2);
    assertThat(report.checkedBytes()).isEqualTo(3 * SegmentLayout.STRIDE_BYTES + 150);
  }

  @Test
  void aFlippedByteIsToldWithObjectOffsetAndStream() throws IOException {
    flip(first, SegmentLayout.STRIDE_BYTES + 1);
    assertThat(examine().damages())
        .singleElement()
        .satisfies(damage -> {
          assertThat(damage.key()).isEqualTo(first);
          assertThat(damage.offset()).isEqualTo(SegmentLayout.STRIDE_BYTES);
          assertThat(damage.streams()).containsExactly("a");
        });
  }

  @Test
  void eachDamageIsTold() throws IOException {
    flip(first, 3 * SegmentLayout.STRIDE_BYTES + 50);
    store.remove(second);
    flip(Owner.KEY, 20);
    assertThat(examine().damages())
        .extracting(Damage::key)
        .containsExactlyInAnyOrder(first, second, Owner.KEY);
    assertThat(examine().damages())
        .filteredOn(damage -> !damage.key().equals(Owner.KEY))
        .allSatisfy(damage -> assertThat(damage.streams()).containsExactly("b"));
  }

  @Test
  void aDamagedManifestAndADamagedCommitAreNamed() throws IOException {
    String manifest = Shards.key(a.shard());
    flip(manifest, 30);
    assertThat(examine().damages()).extracting(Damage::key).contains(manifest);
    flip(manifest, 30);
    flip(Commit.key(3), 30);
    assertThat(examine().damages()).extracting(Damage::key).contains(Commit.key(3));
  }

  @Test
  void everyByteOfEveryObjectIsLookedAt() throws IOException {
    for (String key : store.keys("")) {
      byte[] object = store.bytes(key);
      if (object.length < 5_000) {
        for (int i = 0; i < object.length; i++) {
          store.set(key, Flips.flip(object, i));
          assertThat(Doctor.examine(store).damages())
              .as("byte %d of %s", i, key)
              .extracting(Damage::key)
              .contains(key);
        }
        store.set(key, object);
      }
    }
  }

  @Test
  void aSegmentWithAnothersBytesIsFound() throws IOException {
    MapStore other = new MapStore();
    StoreProcess process = new StoreProcess(other);
    process.append(process.create("x"), 0, new byte[10]);
    process.flush();
    process.append(process.create("y"), 0, new byte[500]);
    process.flush();
    store.set(second, other.bytes(second));
    assertThat(examine().damages())
        .singleElement()
        .satisfies(damage -> assertThat(damage.streams()).containsExactly("b"));
  }

  @Test
  void aSegmentThatNothingNamesIsCountedAndNoDamage() throws IOException {
    store.set(new SegmentId(0, 1, 1_000).key(), new byte[1]);
    Doctor.Report report = examine();
    assertThat(report.damages()).isEmpty();
    assertThat(report.orphans()).isEqualTo(1);
  }

  @Test
  void anObjectThatCannotBeReadIsToldAndTheRestIsExamined() throws IOException {
    FaultyObjectStore faulty = new FaultyObjectStore(store, /* seed= */ 1);
    faulty.next(FaultyObjectStore.Call.READ, FaultyObjectStore.Fault.ERROR);
    Doctor.Report report = Doctor.examine(faulty);
    assertThat(report.damages()).extracting(Damage::key).containsExactly(Owner.KEY);
    assertThat(report.checkedBytes()).isEqualTo(3 * SegmentLayout.STRIDE_BYTES + 150);
  }

  @Test
  void aStoreThatDoesNotAnswerIsNoDamage() {
    store.failAfter(5, MapStore.Failure.BEFORE, /* andStayDown= */ true);
    assertThatThrownBy(() -> Doctor.examine(store)).isInstanceOf(ObjectStoreException.class);
  }

  @Test
  void anythingOfAStoreIsOne() throws IOException {
    assertThat(Doctor.isStore(store)).isTrue();
    assertThat(Doctor.isStore(new MapStore())).isFalse();
  }

  @Test
  void theProgressEndsWithAllBytes() throws IOException {
    List<Long> passed = new ArrayList<>();
    Doctor.examine(
        store,
        (done, total) -> {
          passed.add(done);
          assertThat(total).isEqualTo(3 * SegmentLayout.STRIDE_BYTES + 150);
        });
    assertThat(passed).isSorted().endsWith(3L * SegmentLayout.STRIDE_BYTES + 150);
  }

  private Doctor.Report examine() throws IOException {
    List<String> before = store.keys("");
    Doctor.Report report = Doctor.examine(store);
    assertThat(store.takeWrites()).isEmpty();
    assertThat(store.keys("")).isEqualTo(before);
    return report;
  }

  private void flip(String key, int index) {
    store.set(key, Flips.flip(store.bytes(key), index));
  }
}
