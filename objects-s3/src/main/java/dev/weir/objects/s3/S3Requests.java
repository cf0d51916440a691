package dev.weir.objects.s3;

import dev.weir.objects.s3.http.Attempt;
import dev.weir.objects.s3.http.AttemptRegistry;
import dev.weir.objects.s3.retry.Retried;
import dev.weir.objects.s3.retry.Retries;
import dev.weir.streams.objects.PutCondition;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.AbortMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.AbortMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.DeleteObjectsRequest;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;

/** Each request that a store makes, for keys of the store; conditions and ETags without quotes. */
record S3Requests(S3AsyncClient client, Retries retries, String bucket, String keyPrefix) {
  private interface Call<T> {
    CompletableFuture<T> start(AwsRequestOverrideConfiguration of);
  }

  private <T> Retried<T> run(Call<T> call) {
    return retries.run((attempt, number) -> call.start(of(attempt)));
  }

  private static AwsRequestOverrideConfiguration of(Attempt attempt) {
    return AwsRequestOverrideConfiguration.builder()
        .putExecutionAttribute(AttemptRegistry.ATTEMPT, attempt)
        .build();
  }

  String fullKey(String key) {
    return keyPrefix + key;
  }

  /** A key of the bucket as one of the store. */
  String ownKey(String key) {
    return key.substring(keyPrefix.length());
  }

  static String unquoted(@Nullable String etag) {
    return etag == null ? "" : etag.replace("\"", "");
  }

  private static String quoted(String etag) {
    return "\"" + etag + "\"";
  }

  private static String base64(int crc32c) {
    return Base64.getEncoder()
        .encodeToString(ByteBuffer.allocate(Integer.BYTES).putInt(crc32c).array());
  }

  Retried<HeadObjectResponse> head(String key) {
    return run(of ->
        client.headObject(
            HeadObjectRequest.builder()
                .overrideConfiguration(of)
                .bucket(bucket)
                .key(fullKey(key))
                .build()));
  }

  Retried<GetObjectResponse> get(
      String what, String key, @Nullable String ifMatch, long offset, MemorySegment target) {
    return run(of -> {
      GetObjectRequest.Builder request =
          GetObjectRequest.builder()
              .overrideConfiguration(of)
              .bucket(bucket)
              .key(fullKey(key))
              .range("bytes=%d-%d".formatted(offset, offset + target.byteSize() - 1));
      if (ifMatch != null) {
        request.ifMatch(quoted(ifMatch));
      }
      return client.getObject(request.build(), new TargetFiller(what, offset, target));
    });
  }

  Retried<PutObjectResponse> put(
      String key, ContentBytes content, int crc32c, ObjectStamp stamp, PutCondition condition) {
    return run(of -> {
      PutObjectRequest.Builder request =
          PutObjectRequest.builder()
              .overrideConfiguration(of)
              .bucket(bucket)
              .key(fullKey(key))
              .contentLength(content.lengthBytes())
              .checksumCRC32C(base64(crc32c))
              .metadata(stamp.metadata());
      switch (condition) {
        case PutCondition.Always always -> {}
        case PutCondition.IfAbsent absent -> request.ifNoneMatch("*");
        case PutCondition.IfMatch match -> request.ifMatch(quoted(match.etag()));
      }
      return client.putObject(request.build(), new ContentBody(content, 0, content.lengthBytes()));
    });
  }

  Retried<CreateMultipartUploadResponse> createUpload(String key, ObjectStamp stamp) {
    return run(of ->
        client.createMultipartUpload(
            CreateMultipartUploadRequest.builder()
                .overrideConfiguration(of)
                .bucket(bucket)
                .key(fullKey(key))
                .checksumAlgorithm(ChecksumAlgorithm.CRC32_C)
                .metadata(stamp.metadata())
                .build()));
  }

  Retried<UploadPartResponse> uploadPart(
      String key, String upload, int number, ContentBody part, int crc32c) {
    return run(of ->
        client.uploadPart(
            UploadPartRequest.builder()
                .overrideConfiguration(of)
                .bucket(bucket)
                .key(fullKey(key))
                .uploadId(upload)
                .partNumber(number)
                .contentLength(part.lengthBytes())
                .checksumCRC32C(base64(crc32c))
                .build(),
            part));
  }

  static CompletedPart part(int number, UploadPartResponse response, int crc32c) {
    return CompletedPart.builder()
        .partNumber(number)
        .eTag(response.eTag())
        .checksumCRC32C(base64(crc32c))
        .build();
  }

  Retried<CompleteMultipartUploadResponse> completeUpload(
      String key, String upload, List<CompletedPart> parts, PutCondition condition) {
    return run(of -> {
      CompleteMultipartUploadRequest.Builder request =
          CompleteMultipartUploadRequest.builder()
              .overrideConfiguration(of)
              .bucket(bucket)
              .key(fullKey(key))
              .uploadId(upload)
              .multipartUpload(whole -> whole.parts(parts));
      switch (condition) {
        case PutCondition.Always always -> {}
        case PutCondition.IfAbsent absent -> request.ifNoneMatch("*");
        case PutCondition.IfMatch match -> request.ifMatch(quoted(match.etag()));
      }
      return client.completeMultipartUpload(request.build());
    });
  }

  Retried<AbortMultipartUploadResponse> abortUpload(String key, String upload) {
    return run(of ->
        client.abortMultipartUpload(
            AbortMultipartUploadRequest.builder()
                .overrideConfiguration(of)
                .bucket(bucket)
                .key(fullKey(key))
                .uploadId(upload)
                .build()));
  }

  Retried<ListObjectsV2Response> list(String prefix, @Nullable String startAfter, int maxKeys) {
    return run(of ->
        client.listObjectsV2(
            ListObjectsV2Request.builder()
                .overrideConfiguration(of)
                .bucket(bucket)
                .prefix(fullKey(prefix))
                .startAfter(startAfter == null ? null : fullKey(startAfter))
                .maxKeys(maxKeys)
                .build()));
  }

  Retried<DeleteObjectsResponse> delete(List<String> keys) {
    return run(of ->
        client.deleteObjects(
            DeleteObjectsRequest.builder()
                .overrideConfiguration(of)
                .bucket(bucket)
                .delete(all ->
                    all.quiet(true)
                        .objects(
                            keys.stream()
                                .map(key -> ObjectIdentifier.builder().key(fullKey(key)).build())
                                .toList()))
                .build()));
  }
}
