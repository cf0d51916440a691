package dev.weir.objects.s3;

import io.netty.buffer.ByteBufAllocator;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Which bucket, and the limits of a store. Immutable.
 *
 * @param bucket its name
 * @param prefix what all keys of the store begin with, a slash behind it; empty: nothing
 * @param endpoint of the service; null: Amazon's, or as the environment says
 * @param region null: as the environment says, or {@code us-east-1} where there is an endpoint
 * @param pathStyle whether the bucket is part of the path, not of the host's name
 * @param credentials null: the SDK's standard chain
 * @param allocator of the buffers that sockets are read into
 * @param maxRequests the most at once, and of connections
 * @param maxWaiting the most that wait for their turn; more are refused
 * @param maxAttempts of a request, the first one too
 * @param connectTimeout until a connection is there, TLS included
 * @param silenceTimeout the longest without a byte in either direction, while a request runs
 * @param multipartBytes an object above this length is written in parts
 * @param partBytes length of a part; 5 MiB to 1 GiB
 */
public record S3Options(
    String bucket,
    String prefix,
    @Nullable URI endpoint,
    @Nullable String region,
    boolean pathStyle,
    @Nullable Credentials credentials,
    ByteBufAllocator allocator,
    int maxRequests,
    int maxWaiting,
    int maxAttempts,
    Duration connectTimeout,
    Duration silenceTimeout,
    long multipartBytes,
    long partBytes) {
  private static final int DEFAULT_REQUESTS = 64;
  private static final int DEFAULT_WAITING = 8_192;
  private static final int DEFAULT_ATTEMPTS = 6;
  private static final Duration DEFAULT_CONNECT = Duration.ofSeconds(5);
  private static final Duration DEFAULT_SILENCE = Duration.ofSeconds(15);
  private static final long DEFAULT_MULTIPART_BYTES = 16L << 20;
  private static final long DEFAULT_PART_BYTES = 8L << 20;
  private static final long MIN_PART_BYTES = 5L << 20;
  private static final long MAX_PART_BYTES = 1L << 30;

  /**
   * Fixed ones.
   *
   * @param accessKey public
   * @param secretKey not to be logged
   */
  public record Credentials(String accessKey, String secretKey) {
    @Override
    public String toString() {
      return "Credentials[" + accessKey + "]";
    }
  }

  /** Checks the limits. */
  public S3Options {
    if (bucket.isEmpty()) {
      throw new IllegalArgumentException("the name of a bucket is missing");
    }
    if (prefix.startsWith("/") || prefix.endsWith("/")) {
      throw new IllegalArgumentException("prefix '%s' begins or ends with /".formatted(prefix));
    }
    if (maxRequests < 1 || maxWaiting < 0 || maxAttempts < 1) {
      throw new IllegalArgumentException(
          "%d requests, %d waiting, %d attempts".formatted(maxRequests, maxWaiting, maxAttempts));
    }
    if (partBytes < MIN_PART_BYTES || partBytes > MAX_PART_BYTES || multipartBytes < 0) {
      throw new IllegalArgumentException(
          "parts of %,d bytes above %,d: %,d to %,d"
              .formatted(partBytes, multipartBytes, MIN_PART_BYTES, MAX_PART_BYTES));
    }
  }

  /**
   * The defaults, for {@code s3://bucket} or {@code s3://bucket/prefix}.
   *
   * @throws IllegalArgumentException it is none
   */
  public static S3Options of(URI location) {
    String bucket = location.getAuthority();
    if (!"s3".equals(location.getScheme()) || bucket == null || location.getQuery() != null) {
      throw new IllegalArgumentException(
          "'%s' is no place for objects: s3://bucket/prefix".formatted(location));
    }
    return new S3Options(
        bucket,
        location.getPath().replaceAll("^/+|/+$", ""),
        null,
        null,
        false,
        null,
        ByteBufAllocator.DEFAULT,
        DEFAULT_REQUESTS,
        DEFAULT_WAITING,
        DEFAULT_ATTEMPTS,
        DEFAULT_CONNECT,
        DEFAULT_SILENCE,
        DEFAULT_MULTIPART_BYTES,
        DEFAULT_PART_BYTES);
  }

  /** Another service than Amazon's; the bucket goes into the path. */
  public S3Options withEndpoint(URI service) {
    return new S3Options(
        bucket,
        prefix,
        service,
        region,
        true,
        credentials,
        allocator,
        maxRequests,
        maxWaiting,
        maxAttempts,
        connectTimeout,
        silenceTimeout,
        multipartBytes,
        partBytes);
  }

  /** In this region. */
  public S3Options withRegion(String name) {
    return new S3Options(
        bucket,
        prefix,
        endpoint,
        name,
        pathStyle,
        credentials,
        allocator,
        maxRequests,
        maxWaiting,
        maxAttempts,
        connectTimeout,
        silenceTimeout,
        multipartBytes,
        partBytes);
  }

  /** With fixed credentials. */
  public S3Options withCredentials(String accessKey, String secretKey) {
    return new S3Options(
        bucket,
        prefix,
        endpoint,
        region,
        pathStyle,
        new Credentials(accessKey, secretKey),
        allocator,
        maxRequests,
        maxWaiting,
        maxAttempts,
        connectTimeout,
        silenceTimeout,
        multipartBytes,
        partBytes);
  }

  /** With buffers of this allocator. */
  public S3Options withAllocator(ByteBufAllocator buffers) {
    return new S3Options(
        bucket,
        prefix,
        endpoint,
        region,
        pathStyle,
        credentials,
        buffers,
        maxRequests,
        maxWaiting,
        maxAttempts,
        connectTimeout,
        silenceTimeout,
        multipartBytes,
        partBytes);
  }

  /** With other limits of requests. */
  public S3Options withLimits(int requests, int waiting, int attempts) {
    return new S3Options(
        bucket,
        prefix,
        endpoint,
        region,
        pathStyle,
        credentials,
        allocator,
        requests,
        waiting,
        attempts,
        connectTimeout,
        silenceTimeout,
        multipartBytes,
        partBytes);
  }

  /** With other timeouts. */
  public S3Options withTimeouts(Duration connect, Duration silence) {
    return new S3Options(
        bucket,
        prefix,
        endpoint,
        region,
        pathStyle,
        credentials,
        allocator,
        maxRequests,
        maxWaiting,
        maxAttempts,
        connect,
        silence,
        multipartBytes,
        partBytes);
  }

  /** With parts above another length. */
  public S3Options withParts(long aboveBytes, long eachBytes) {
    return new S3Options(
        bucket,
        prefix,
        endpoint,
        region,
        pathStyle,
        credentials,
        allocator,
        maxRequests,
        maxWaiting,
        maxAttempts,
        connectTimeout,
        silenceTimeout,
        aboveBytes,
        eachBytes);
  }
}
