package dev.weir.objects.s3;

import static dev.weir.streams.objects.Outcomes.await;
import static dev.weir.streams.objects.Outcomes.awaitEnd;
import static dev.weir.streams.objects.Outcomes.bytes;
import static dev.weir.streams.objects.Outcomes.nativeBytes;
import static dev.weir.streams.objects.Outcomes.put;
import static dev.weir.streams.objects.Outcomes.read;
import static dev.weir.streams.objects.Outcomes.target;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.objects.s3.testing.FakeS3;
import dev.weir.objects.s3.testing.FakeS3.Fault;
import dev.weir.streams.objects.DeleteFailure;
import dev.weir.streams.objects.ObjectContent;
import dev.weir.streams.objects.ObjectInfo;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.objects.PreconditionFailedException;
import dev.weir.streams.objects.PutCondition;
import dev.weir.streams.objects.Request;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A service that errs: what the store repeats, finds out, and tells. */
class S3FaultsTest {
  private FakeS3 service;
  private S3ObjectStore store;

  @BeforeEach
  void open() throws Exception {
    service = new FakeS3();
    store = S3ObjectStore.open(options());
  }

  private S3Options options() {
    return S3Options.of(URI.create("s3://bucket/p"))
        .withEndpoint(service.endpoint())
        .withCredentials("key", "secret")
        .withParts(6L << 20, 5L << 20);
  }

  @AfterEach
  void close() {
    store.close();
    service.close();
  }

  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"SLOW_DOWN", "ERROR", "CONFLICT", "LOST_ANSWER"})
  void aWriteIfAbsentIsRepeatedAndKnowsItself(Fault fault) throws Exception {
    service.plan("PUT", fault);

    ObjectInfo written = put(store, "a", bytes(1, 1_000), PutCondition.ifAbsent());

    assertThat(service.plansLeft()).isZero();
    assertThat(await(store.head("a"))).isEqualTo(written);
    assertThat(read(store, "a", 0, 1_000)).isEqualTo(bytes(1, 1_000));
  }

  @Test
  void aWriteThatHinderedItselfHasSucceeded() throws Exception {
    service.plan("PUT", Fault.FAILED_AFTER_SUCCESS);
    ObjectInfo first = put(store, "a", bytes(1, 1_000), PutCondition.ifAbsent());
    assertThat(await(store.head("a"))).isEqualTo(first);

    service.plan("PUT", Fault.FAILED_AFTER_SUCCESS);
    ObjectInfo second = put(store, "a", bytes(2, 1_000), PutCondition.ifMatch(first.etag()));
    assertThat(await(store.head("a"))).isEqualTo(second);
  }

  @Test
  void aWriteOfTheSameBytesByAnotherIsNotTakenForItsOwn() throws Exception {
    put(store, "a", bytes(1, 1_000), PutCondition.ifAbsent());
    service.plan("PUT", Fault.ERROR);

    assertThatThrownBy(() -> put(store, "a", bytes(1, 1_000), PutCondition.ifAbsent()))
        .isInstanceOf(PreconditionFailedException.class);
  }

  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"SLOW_DOWN", "ERROR", "LOST_ANSWER", "HALF", "FLIPPED_BIT"})
  void aReadIsRepeatedUntilItIsRight(Fault fault) throws Exception {
    put(store, "a", bytes(1, 100_000), PutCondition.ifAbsent());
    service.plan("GET", fault, fault);

    assertThat(read(store, "a", 0, 100_000)).isEqualTo(bytes(1, 100_000));
    assertThat(service.count("GET")).isEqualTo(3);
  }

  @Test
  void aServiceThatIsGoneIsAnErrorAfterSixAttempts() throws Exception {
    put(store, "a", bytes(1, 100), PutCondition.ifAbsent());
    Fault[] always = new Fault[20];
    java.util.Arrays.fill(always, Fault.ERROR);
    service.plan("GET", always);

    assertThatThrownBy(() -> read(store, "a", 0, 100))
        .isInstanceOf(ObjectStoreException.class)
        .hasMessageContaining("500")
        .hasMessageContaining("object a");
    assertThat(service.count("GET")).isEqualTo(6);
    service.forgetPlans();
    assertThat(read(store, "a", 0, 100)).isEqualTo(bytes(1, 100));
  }

  @Test
  void anEndOfTheObjectIsNotRepeated() throws Exception {
    put(store, "a", bytes(1, 100), PutCondition.ifAbsent());

    assertThatThrownBy(() -> read(store, "a", 50, 100)).hasMessageContaining("ends at 100");
    assertThat(service.count("GET")).isEqualTo(1);
  }

  @Test
  void aHangingServiceIsLeftAfterASilence() throws Exception {
    put(store, "a", bytes(1, 100), PutCondition.ifAbsent());
    try (S3ObjectStore impatient =
        S3ObjectStore.open(options().withTimeouts(Duration.ofSeconds(5), Duration.ofMillis(300)))) {
      service.plan("GET", Fault.HANG, Fault.HANG);

      assertThat(read(impatient, "a", 0, 100)).isEqualTo(bytes(1, 100));
      assertThat(service.count("GET")).isEqualTo(3);
    }
  }

  @Test
  void aCancelledReadEndsAlthoughTheServiceHangs() throws Exception {
    put(store, "a", bytes(1, 100), PutCondition.ifAbsent());
    service.plan("GET", Fault.HANG);
    Request<Void> read = store.read("a", null, 0, target(100));
    while (service.count("GET") == 0) {
      Thread.onSpinWait();
    }
    assertThat(read.done()).isNotDone();

    read.cancel();

    awaitEnd(read);
    assertThat(read.done()).isCancelled();
  }

  @Test
  void lessIsAskedOfAServiceThatHasTooMuchToDo() throws Exception {
    put(store, "a", bytes(1, 100), PutCondition.ifAbsent());
    Fault[] slow = new Fault[30];
    java.util.Arrays.fill(slow, Fault.SLOW_DOWN);
    service.plan("GET", slow);
    List<Request<Void>> reads = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      reads.add(store.read("a", null, 0, target(100)));
    }
    for (Request<Void> read : reads) {
      await(read);
    }
    assertThat(service.plansLeft()).isZero();
    assertThat(store.concurrency()).isLessThan(64);
  }

  @Test
  void moreRequestsThanAreAllowedToWaitAreRefused() throws Exception {
    try (S3ObjectStore small = S3ObjectStore.open(options().withLimits(2, 20, 1))) {
      put(small, "a", bytes(1, 100), PutCondition.ifAbsent());
      service.plan("GET", Fault.HANG, Fault.HANG);
      List<Request<Void>> taken = new ArrayList<>();
      for (int i = 0; i < 22; i++) {
        taken.add(small.read("a", null, 0, target(100)));
      }
      assertThatThrownBy(() -> await(small.read("a", null, 0, target(100))))
          .isInstanceOf(ObjectStoreException.class)
          .hasMessageContaining("20 wait");
      taken.forEach(Request::cancel);
      for (Request<Void> read : taken) {
        awaitEnd(read);
      }
    }
  }

  @Test
  void keysThatAreKeptAreTold() throws Exception {
    put(store, "a", bytes(1, 10), PutCondition.ifAbsent());
    put(store, "b", bytes(1, 10), PutCondition.ifAbsent());
    service.keep("p/a");

    assertThat(await(store.delete(List.of("a", "b", "none"))))
        .containsExactly(new DeleteFailure("a", "AccessDenied: kept"));
    assertThat(await(store.list("", null, 10)).objects())
        .extracting(ObjectInfo::key)
        .containsExactly("a");
  }

  @Test
  void anUploadInPartsSurvivesFaultsAndLeavesNothing() throws Exception {
    MemorySegment big = nativeBytes(3, 23 << 20);
    for (Fault fault : List.of(Fault.ERROR, Fault.LOST_ANSWER, Fault.SLOW_DOWN)) {
      for (String step : List.of("uploads", "partNumber=2", "uploadId")) {
        String method = step.startsWith("part") ? "PUT" : "POST";
        service.plan(
            request -> request.method().equals(method) && request.query().contains(step), fault);
        String key = (fault + "-" + step).toLowerCase().replaceAll("[^a-z0-9]", "-");
        ObjectInfo written = await(store.put(key, ObjectContent.of(big), PutCondition.ifAbsent()));
        assertThat(service.plansLeft()).as(key).isZero();
        MemorySegment target = target(big.byteSize());
        await(store.read(key, written.etag(), 0, target));
        assertThat(target.mismatch(big)).as(key).isEqualTo(-1);
        await(store.delete(List.of(key)));
      }
    }
    // A lost answer to the very beginning leaves an upload that nobody knows of.
    assertThat(service.openUploads()).isEqualTo(1);
  }

  @Test
  void anUploadThatFailsIsAborted() throws Exception {
    MemorySegment big = nativeBytes(3, 23 << 20);
    for (int i = 0; i < 6; i++) {
      service.plan(request -> request.query().contains("partNumber=3"), Fault.ERROR);
    }
    assertThatThrownBy(() -> await(store.put("a", ObjectContent.of(big), PutCondition.always())))
        .isInstanceOf(ObjectStoreException.class);
    assertThat(service.openUploads()).isZero();

    service.plan(request -> request.query().contains("partNumber=3"), Fault.HANG);
    Request<ObjectInfo> write = store.put("a", ObjectContent.of(big), PutCondition.always());
    while (service.plansLeft() > 0) {
      Thread.onSpinWait();
    }
    write.cancel();
    awaitEnd(write);
    assertThat(write.done()).isCancelled();
    assertThat(service.openUploads()).isZero();
  }

  @Test
  void bodiesAreSentPlainWithTheirChecksum() throws Exception {
    put(store, "a", bytes(1, 100), PutCondition.ifAbsent());

    FakeS3.Seen sent =
        service.seen().stream().filter(request -> request.key().equals("p/a")).findFirst().get();
    assertThat(sent.header("content-length")).isEqualTo("100");
    assertThat(sent.header("x-amz-content-sha256")).isEqualTo("UNSIGNED-PAYLOAD");
    assertThat(sent.header("x-amz-checksum-crc32c")).isNotNull();
    assertThat(sent.header("if-none-match")).isEqualTo("*");
    assertThat(sent.header("expect")).isNull();
    assertThat(sent.header("transfer-encoding")).isNull();
    assertThat(sent.header("authorization")).startsWith("AWS4-HMAC-SHA256 Credential=key/");
  }

  @Test
  void aServiceWhereTwoWinIsRefused() {
    service.ignoreConditions();

    assertThatThrownBy(() -> S3ObjectStore.open(options()))
        .isInstanceOf(UnsafeStoreException.class)
        .hasMessageContaining("If-None-Match");
  }

  @Test
  void aServiceThatIsNotThereIsSaidToBe() {
    assertThatThrownBy(
            () -> S3ObjectStore.open(options().withEndpoint(URI.create("http://127.0.0.1:1"))))
        .isInstanceOf(ObjectStoreException.class)
        .isNotInstanceOf(UnsafeStoreException.class)
        .hasMessageContaining("127.0.0.1:1");
  }
}
