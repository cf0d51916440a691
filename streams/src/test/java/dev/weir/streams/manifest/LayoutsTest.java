package dev.weir.streams.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.segments.SegmentId;
import dev.weir.streams.testing.Flips;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Commits, manifests and the owner as they are stored. */
class LayoutsTest {
  private static final UUID NONCE = new UUID(0x0123_4567_89ab_cdefL, -5);

  private static final List<SegmentEntry> SEGMENTS =
      List.of(
          new SegmentEntry(new SegmentId(0, 1, 5), 64 << 20, 0, 1_000),
          new SegmentEntry(new SegmentId(2, 3, 1L << 60), 5_000, 2, 2_000));

  private static final StreamHeader PLAIN =
      new StreamHeader(7, "a/ü€🦆", "text/plain", 60, null, -1, 1_234, null);

  private static final StreamHeader FORK =
      new StreamHeader(
          9,
          "fork",
          "application/json",
          -1,
          "2027-01-01T00:00:00Z",
          99,
          5,
          new Fork(7, 3, 100, -1, 2));

  private static final List<PlacedExtent> EXTENTS =
      List.of(new PlacedExtent(1, 17, 100, 900, true), new PlacedExtent(0, 0, 1_000, 5, false));

  @Test
  void aCommitIsReadAsItWasWritten() throws IOException {
    Commit commit = commit();
    assertThat(CommitLayout.decode(12, CommitLayout.encode(commit))).isEqualTo(commit);
  }

  @Test
  void everyFlippedByteOfACommitIsNoticed() {
    Flips.assertAllNoticed(
        "log/000000000000000c",
        CommitLayout.encode(commit()),
        object -> CommitLayout.decode(12, object));
  }

  @Test
  void aCommitInAnotherPlaceIsDamage() {
    byte[] object = CommitLayout.encode(commit());
    assertThatThrownBy(() -> CommitLayout.decode(13, object))
        .isInstanceOf(DamagedObjectException.class)
        .hasMessageContaining("log/000000000000000d")
        .hasMessageContaining("log/000000000000000c");
  }

  @Test
  void aManifestIsReadAsItWasWritten() throws IOException {
    Manifest manifest = manifest();
    assertThat(ManifestLayout.decode(200, ManifestLayout.encode(manifest))).isEqualTo(manifest);
  }

  @Test
  void everyFlippedByteOfAManifestIsNoticed() {
    Flips.assertAllNoticed(
        "shards/200",
        ManifestLayout.encode(manifest()),
        object -> ManifestLayout.decode(200, object));
  }

  @Test
  void aManifestOfAnotherShardIsDamage() {
    byte[] object = ManifestLayout.encode(manifest());
    assertThatThrownBy(() -> ManifestLayout.decode(201, object))
        .isInstanceOf(DamagedObjectException.class)
        .hasMessageContaining("shards/200");
  }

  @Test
  void theOwnerIsReadAsItWasWrittenAndEveryFlippedByteIsNoticed() throws IOException {
    Owner owner = new Owner(NONCE, 4, "höst-1");
    byte[] object = OwnerLayout.encode(owner);
    assertThat(OwnerLayout.decode(object)).isEqualTo(owner);
    Flips.assertAllNoticed("owner", object, OwnerLayout::decode);
  }

  @Test
  void anExtentOutsideItsSegmentIsDamage() {
    Manifest wrong =
        new Manifest(
            200,
            1,
            1,
            SEGMENTS,
            List.of(entry(FORK, List.of(new PlacedExtent(1, 4_900, 100, 101, true)), 201)));
    assertThatThrownBy(() -> ManifestLayout.decode(200, ManifestLayout.encode(wrong)))
        .isInstanceOf(DamagedObjectException.class);
  }

  @Test
  void aManifestWhoseExtentsLeaveAGapIsDamage() {
    Manifest wrong = new Manifest(200, 1, 1, SEGMENTS, List.of(entry(FORK, EXTENTS, 1_006)));
    assertThatThrownBy(() -> ManifestLayout.decode(200, ManifestLayout.encode(wrong)))
        .isInstanceOf(DamagedObjectException.class)
        .hasMessageContaining("fork");
  }

  private static Commit commit() {
    long[] folded = new long[Shards.COUNT];
    folded[0] = -1;
    folded[255] = 11;
    return new Commit(
        12,
        NONCE,
        3,
        10,
        77,
        30,
        8,
        FoldedCommits.of(folded),
        SEGMENTS,
        List.of(
            new StreamDelta(
                7, 1, PLAIN, List.of(), 0, false, null, null, List.of(), Lifecycle.UNCHANGED),
            new StreamDelta(
                9,
                2,
                FORK,
                EXTENTS,
                1_005,
                true,
                new Producer("p", 0, 1),
                "",
                List.of(new Producer("p", 0, 1), new Producer("", 1L << 53, 0)),
                Lifecycle.SOFT_DELETED),
            new StreamDelta(
                11, 3, null, List.of(), 5, false, null, "x", List.of(), Lifecycle.REMOVED)),
        List.of(new Replacement(9, 2, EXTENTS)));
  }

  private static Manifest manifest() {
    return new Manifest(
        200, 11, 3, SEGMENTS, List.of(entry(PLAIN, List.of(), 0), entry(FORK, EXTENTS, 1_005)));
  }

  private static Manifest.Entry entry(
      StreamHeader header, List<PlacedExtent> extents, long tailOffset) {
    return new Manifest.Entry(
        header,
        extents,
        tailOffset,
        true,
        new Producer("c", 1, 2),
        "seq",
        true,
        List.of(new Producer("p", 5, 6)));
  }
}
