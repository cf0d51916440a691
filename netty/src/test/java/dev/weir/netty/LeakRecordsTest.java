package dev.weir.netty;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.hardening.Hardening;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What Netty's leak detector says of a lost buffer, level by level, and of a hardened one. Which
 * buffers it watches is in {@link LeakTrackingTest}.
 */
class LeakRecordsTest {
  /** Blocks of buffers that these tests lose stay live, so they come from pools of their own. */
  private static final WeirAllocator LOSING = WeirAllocator.withLimit(64L << 20);

  private static final WeirAllocator LOSING_HARDENED =
      new WeirAllocator(
          Pool.create(PoolOptions.withLimit(64L << 20).withHardening(Hardening.full())));

  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  @RegisterExtension static final LeakDetection DETECTION = new LeakDetection();

  private static String awaitReportOf(String method) {
    return LeakReports.await(LeakRecordsTest.class, method, MEMORY.allocator());
  }

  private static ByteBuf tracked() {
    return LeakDetection.tracked(LOSING);
  }

  @ParameterizedTest
  @EnumSource(names = {"ADVANCED", "PARANOID"})
  void accessesAndHintsAreRecorded(Level level) {
    ResourceLeakDetector.setLevel(level);
    loseTouched();
    assertThat(awaitReportOf("loseTouched"))
        .contains("Hint: the header is read", "Hint: queued for the disk")
        .contains(".writeHere(")
        .contains("Created at:");
  }

  @Test
  void atLevelSimpleOnlyTheAllocationIs() {
    ResourceLeakDetector.setLevel(Level.SIMPLE);
    loseTouched();
    assertThat(awaitReportOf("loseTouched"))
        .contains("Created at:")
        .doesNotContain("Hint:")
        .doesNotContain(".writeHere(");
  }

  @ParameterizedTest
  @EnumSource(names = {"ADVANCED", "PARANOID"})
  void aSliceThatIsLostIsReportedWithWhatWasDoneToIt(Level level) {
    ResourceLeakDetector.setLevel(level);
    loseSlice();
    assertThat(awaitReportOf("loseSlice")).contains("Hint: the slice").contains(".writeHere(");
  }

  @ParameterizedTest
  @EnumSource(names = {"SIMPLE", "ADVANCED", "PARANOID"})
  void aPartOfALostCompositeIsReported(Level level) {
    ResourceLeakDetector.setLevel(level);
    loseComposite();
    assertThat(awaitReportOf("loseComposite")).contains("Created at:");
  }

  @ParameterizedTest
  @EnumSource(names = {"SIMPLE", "ADVANCED", "PARANOID"})
  void nothingThatWasReleasedIsReported(Level level) {
    ResourceLeakDetector.setLevel(level);
    releaseAll();
    loseTouched();
    awaitReportOf("loseTouched");
    assertThat(LeakReports.REPORTS).noneMatch(report -> report.contains("releaseAll("));
  }

  @ParameterizedTest
  @EnumSource(names = {"SIMPLE", "ADVANCED", "PARANOID"})
  void whoeverComesAfterTheLastReleaseIsToldOfIt(Level level) {
    ResourceLeakDetector.setLevel(level);
    ByteBuf buffer = tracked();
    releaseHere(buffer);
    assertTellsOfRelease(buffer::release);
    assertTellsOfRelease(() -> buffer.release(1));
    assertTellsOfRelease(buffer::retain);
    assertTellsOfRelease(() -> buffer.retain(1));
  }

  private static void releaseHere(ByteBuf buffer) {
    buffer.release();
  }

  private static void assertTellsOfRelease(ThrowingCallable call) {
    assertThatExceptionOfType(IllegalReferenceCountException.class)
        .isThrownBy(call)
        .satisfies(e ->
            assertThat(e.getSuppressed())
                .singleElement()
                .extracting(Throwable::getStackTrace, as(InstanceOfAssertFactories.ARRAY))
                .anyMatch(frame -> frame.toString().contains(".releaseHere(")));
  }

  @ParameterizedTest
  @EnumSource(names = {"SIMPLE", "ADVANCED", "PARANOID"})
  void aHardenedBufferThatIsLostIsReported(Level level) {
    ResourceLeakDetector.setLevel(level);
    loseHardened();
    awaitReportOf("loseHardened");
  }

  // Each loses a buffer in a method of its own, whose name tells its report from the others'. The
  // detector keeps four
  // accesses for sure, and tells of equal records once: so those of each level differ.

  private static void loseTouched() {
    ByteBuf buffer = tracked().touch("the header is read at " + ResourceLeakDetector.getLevel());
    writeHere(buffer);
    buffer.touch("queued for the disk");
  }

  private static void writeHere(ByteBuf buffer) {
    buffer.writeLong(1);
  }

  private static void loseSlice() {
    ByteBuf whole = tracked();
    ByteBuf slice = whole.retainedSlice(8, 16);
    assertThat(whole.release()).isFalse();
    slice.touch("the slice at " + ResourceLeakDetector.getLevel());
    writeHere(slice.clear());
  }

  private static void loseComposite() {
    CompositeByteBuf whole = LOSING.compositeDirectBuffer();
    ByteBuf part = tracked().touch(ResourceLeakDetector.getLevel()).writeLong(1);
    whole.addComponent(true, part).addComponent(true, tracked().writeLong(2));
    assertThat(whole.isReadable()).isTrue();
  }

  private static void releaseAll() {
    ByteBuf buffer = tracked().writeZero(64).touch("released");
    ByteBuf slice = buffer.retainedSlice(1, 2);
    buffer.release();
    slice.release();
    CompositeByteBuf whole = LOSING.compositeDirectBuffer();
    whole.addComponent(true, tracked().writeLong(1)).release();
  }

  /** At level {@code SIMPLE} one in 128 is watched. */
  private static void loseHardened() {
    for (int i = 0; i < 2_000; i++) {
      LOSING_HARDENED.directBuffer(64).touch(ResourceLeakDetector.getLevel()).writeLong(1);
    }
  }
}
